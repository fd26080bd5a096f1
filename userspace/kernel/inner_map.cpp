#include "kernel/inner_map.h"

#include <cerrno>

namespace sluice::kernel {

Result<UniqueFd> make_inner_map(const InnerMapSpec& spec) {
    LIBBPF_OPTS(bpf_map_create_opts, options);
    options.map_flags = spec.flags;
    UniqueFd fd(bpf_map_create(spec.type, spec.name, spec.key_size, spec.value_size,
                               spec.max_entries, &options));
    if (!fd) {
        return Error::from_errno(std::string("make BPF map ") + spec.name + " for " +
                                 std::to_string(spec.max_entries) + " entries");
    }
    return fd;
}

Status place_inner_map(int outer, std::uint32_t index, const UniqueFd& inner, const char* what) {
    const int fd = inner.get();
    if (bpf_map_update_elem(outer, &index, &fd, BPF_ANY) != 0) {
        return Error::from_errno(std::string("put ") + what + " into place " +
                                 std::to_string(index));
    }
    return {};
}

Status clear_inner_map(int outer, std::uint32_t index) {
    if (bpf_map_delete_elem(outer, &index) != 0 && errno != ENOENT)
        return Error::from_errno("clear place " + std::to_string(index));
    return {};
}

Status place_inner_maps(int outer, const std::vector<std::uint32_t>& indexes,
                        const std::vector<int>& maps, const char* what) {
    return fill_map(outer, indexes.data(), maps.data(), indexes.size(), what);
}

Status clear_inner_maps(int outer, const std::vector<std::uint32_t>& indexes) {
    if (indexes.empty()) return {};
    LIBBPF_OPTS(bpf_map_batch_opts, options);
    auto count = static_cast<std::uint32_t>(indexes.size());
    if (bpf_map_delete_batch(outer, indexes.data(), &count, &options) != 0)
        return Error::from_errno("clear " + std::to_string(indexes.size()) + " places");
    return {};
}

Result<Grace> Grace::make() {
    Grace grace;
    const InnerMapSpec inner{.name = "sluice_grace",
                             .type = BPF_MAP_TYPE_ARRAY,
                             .key_size = sizeof(std::uint32_t),
                             .value_size = sizeof(std::uint32_t),
                             .max_entries = 1};
    SLUICE_ASSIGN(grace.inner_, make_inner_map(inner));
    LIBBPF_OPTS(bpf_map_create_opts, options);
    options.inner_map_fd = static_cast<__u32>(grace.inner_.get());
    grace.outer_ =
        UniqueFd(bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "sluice_graces", sizeof(std::uint32_t),
                                sizeof(std::uint32_t), 1, &options));
    if (!grace.outer_) return Error::from_errno("make the grace map");
    return grace;
}

Status fill_map(int map, const void* keys, const void* values, std::size_t count,
                const char* what) {
    if (count == 0) return {};
    LIBBPF_OPTS(bpf_map_batch_opts, options);
    auto written = static_cast<std::uint32_t>(count);
    if (bpf_map_update_batch(map, keys, values, &written, &options) != 0) {
        return Error::from_errno(std::string("write ") + what + " (" + std::to_string(written) +
                                 " of " + std::to_string(count) + " written)");
    }
    return {};
}

}  // namespace sluice::kernel
