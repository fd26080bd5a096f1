#include "agent/tools_param.h"

#include <array>

#include "policy/text.h"

namespace sluice::agent {

using config::ConfigText;
using config::ToolConfig;
using nlohmann::json;

namespace {

struct TextMember {
    const char* name;
    std::string ToolConfig::*field;
};
struct FilesMember {
    const char* name;
    std::vector<ConfigText> ToolConfig::*field;
};

constexpr std::array kTexts{TextMember{"npm_registry", &ToolConfig::npm_registry},
                            TextMember{"pip_index_url", &ToolConfig::pip_index_url},
                            TextMember{"pip_extra_index_url", &ToolConfig::pip_extra_index_url},
                            TextMember{"go_proxy", &ToolConfig::go_proxy}};
constexpr std::array kFiles{FilesMember{"npmrc", &ToolConfig::npmrc},
                            FilesMember{"apt_sources", &ToolConfig::apt_sources},
                            FilesMember{"pip_conf", &ToolConfig::pip_conf},
                            FilesMember{"cargo_config", &ToolConfig::cargo_config}};

Error wrong(const std::string& where, const std::string& what) {
    return Error::invalid("sandbox.create: tools." + where + " " + what);
}

// Takes strings until there are too many bytes.
class Reader {
  public:
    Result<std::string> text(const std::string& where, const json& value) {
        if (!value.is_string()) return wrong(where, "is a string");
        std::string out = value.get<std::string>();
        if (out.size() > left_)
            return wrong(where, "is too long: all of tools is at most " +
                                    std::to_string(config::kMaxToolBytes) + " bytes");
        left_ -= out.size();
        return out;
    }
    Result<std::vector<ConfigText>> files(const std::string& where, const json& value) {
        if (!value.is_array()) return wrong(where, "is a list of {file, text, problem}");
        if (value.size() > config::kMaxToolFiles)
            return wrong(where, "has at most " + std::to_string(config::kMaxToolFiles) + " files");
        std::vector<ConfigText> out;
        for (const json& one : value) {
            SLUICE_ASSIGN(auto file, one_file(where, one));
            out.push_back(std::move(file));
        }
        return out;
    }

  private:
    Result<ConfigText> one_file(const std::string& where, const json& value) {
        if (!value.is_object()) return wrong(where, "is a list of {file, text, problem}");
        ConfigText out;
        for (const auto& [key, member] : value.items()) {
            std::string* field = key == "file"      ? &out.file
                                 : key == "text"    ? &out.text
                                 : key == "problem" ? &out.problem
                                                    : nullptr;
            if (!field) return wrong(where, "has {file, text, problem}, no " + in_quotes(key));
            SLUICE_ASSIGN(*field, text(where, member));
        }
        return out;
    }

    std::size_t left_ = config::kMaxToolBytes;
};

}  // namespace

Result<ToolConfig> tools_of(const json& param) {
    ToolConfig out;
    Reader reader;
    std::size_t known = 0;
    for (const auto& [name, field] : kTexts) {
        if (!param.contains(name)) continue;
        ++known;
        SLUICE_ASSIGN(out.*field, reader.text(name, param[name]));
    }
    for (const auto& [name, field] : kFiles) {
        if (!param.contains(name)) continue;
        ++known;
        SLUICE_ASSIGN(out.*field, reader.files(name, param[name]));
    }
    if (known == param.size()) return out;
    return Error::invalid(
        "sandbox.create: tools has npm_registry, npmrc, apt_sources, pip_index_url, "
        "pip_extra_index_url, pip_conf, cargo_config, go_proxy and nothing else");
}

}  // namespace sluice::agent
