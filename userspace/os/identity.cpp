#include "os/identity.h"

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <system_error>

namespace sluice::os {
namespace {

Result<std::vector<gid_t>> groups_of(const std::string& user, gid_t gid) {
    int count = 64;
    for (int attempt = 0; attempt < 12; ++attempt) {
        std::vector<gid_t> groups(static_cast<std::size_t>(count));
        if (::getgrouplist(user.c_str(), gid, groups.data(), &count) >= 0) {
            groups.resize(static_cast<std::size_t>(count));
            return groups;
        }
        count = std::max(count, static_cast<int>(groups.size()) * 2);
    }
    return Error::failed("user '" + user + "' is in too many groups to list");
}

template <class Id>
std::optional<Id> parse_id(const std::string& text) {
    Id id{};
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, id);
    if (text.empty() || error != std::errc() || stop != end || id == static_cast<Id>(-1))
        return std::nullopt;
    return id;
}

// sudo sets the caller's group of that moment (newgrp): right if the user really is in it.
Status apply_sudo_gid(Identity& who, const std::optional<std::string>& text) {
    if (!text) return {};
    const auto gid = parse_id<gid_t>(*text);
    if (!gid) return Error::invalid("SUDO_GID is '" + *text + "', not a group id");
    if (std::find(who.groups.begin(), who.groups.end(), *gid) == who.groups.end())
        return Error::invalid("SUDO_GID is " + *text + ", a group that '" + who.user +
                              "' is not in");
    who.gid = *gid;
    return {};
}

}  // namespace

std::optional<std::string> process_env(const char* name) {
    const char* value = std::getenv(name);
    if (!value) return std::nullopt;
    return std::string(value);
}

Result<Identity> identity_of(uid_t uid) {
    errno = 0;
    const passwd* entry = ::getpwuid(uid);
    if (!entry && errno != 0)
        return Error::from_errno("look up uid " + std::to_string(uid) + " in passwd");
    if (!entry) return Error{Errc::kNotFound, 0, "uid " + std::to_string(uid) + " has no user"};
    Identity who{.uid = uid,
                 .gid = entry->pw_gid,
                 .groups = {},
                 .user = entry->pw_name,
                 .home = entry->pw_dir,
                 .shell = entry->pw_shell};
    SLUICE_ASSIGN(who.groups, groups_of(who.user, who.gid));
    return who;
}

Result<std::optional<Identity>> sudo_invoker(const Getenv& env) {
    const auto uid_text = env("SUDO_UID");
    if (!uid_text) return std::optional<Identity>();
    const auto uid = parse_id<uid_t>(*uid_text);
    if (!uid) return Error::invalid("SUDO_UID is '" + *uid_text + "', not a user id");
    if (*uid == 0) return std::optional<Identity>();
    auto who = identity_of(*uid);
    if (!who) return std::move(who).error().context("SUDO_UID");
    const auto user = env("SUDO_USER");
    if (user && *user != who->user)
        return Error::invalid("SUDO_USER is '" + *user + "', but uid " + *uid_text + " is '" +
                              who->user + "'");
    SLUICE_TRY(apply_sudo_gid(*who, env("SUDO_GID")));
    return std::optional<Identity>(std::move(*who));
}

Status become(const Identity& who) {
    if (::setgroups(who.groups.size(), who.groups.data()) != 0)
        return Error::from_errno("set the groups of '" + who.user + "'");
    if (::setresgid(who.gid, who.gid, who.gid) != 0)
        return Error::from_errno("set gid " + std::to_string(who.gid));
    if (::setresuid(who.uid, who.uid, who.uid) != 0)
        return Error::from_errno("set uid " + std::to_string(who.uid));
    return {};
}

Result<ActingAs> ActingAs::begin(const Identity& who) {
    if (::geteuid() != 0 || who.uid == 0) return ActingAs(false, 0, {});
    const int count = ::getgroups(0, nullptr);
    if (count < 0) return Error::from_errno("read our groups");
    std::vector<gid_t> groups(static_cast<std::size_t>(count));
    if (::getgroups(count, groups.data()) < 0) return Error::from_errno("read our groups");
    // From here the destructor leads back, however far we get.
    ActingAs acting(true, ::getegid(), std::move(groups));
    if (::setgroups(who.groups.size(), who.groups.data()) != 0 || ::setegid(who.gid) != 0 ||
        ::seteuid(who.uid) != 0)
        return Error::from_errno("act as '" + who.user + "'");
    return acting;
}

ActingAs::ActingAs(ActingAs&& other) noexcept
    : active_(std::exchange(other.active_, false)),
      gid_(other.gid_),
      groups_(std::move(other.groups_)) {}

ActingAs::~ActingAs() {
    if (!active_) return;
    if (::seteuid(0) == 0 && ::setegid(gid_) == 0 &&
        ::setgroups(groups_.size(), groups_.data()) == 0)
        return;
    std::perror("sluice: return to root's ids");
    std::abort();
}

}  // namespace sluice::os
