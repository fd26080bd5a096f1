# tools/dev vm: the bpf tier on Debian's own kernel, in qemu. Not part of `test`: emulated, it takes
# minutes. The kernel comes from the package that linux-image-cloud-amd64 names.

VM_PACKAGES=(qemu-system-x86 busybox-static cpio)

vm_kernel() { # FOLDER: downloads and unpacks the kernel; prints its path
    local folder="$1" package
    package="$(apt-cache depends linux-image-cloud-amd64 | awk '/Depends:/ { print $2; exit }')"
    [ -n "$package" ] || die "vm: apt knows no linux-image-cloud-amd64; run apt-get update"
    if [ ! -d "$folder/$package" ]; then
        (cd "$folder" && apt-get download -q "$package" >&2) || die "vm: cannot download $package"
        dpkg-deb -x "$folder/$package"_*.deb "$folder/$package"
    fi
    echo "$folder/$package"/boot/vmlinuz-*
}

vm_initramfs() { # FOLDER FILTER: busybox, the test program and its libraries
    local root="$1/root" library
    rm -rf "$root"
    mkdir -p "$root"/{bin,proc,sys,dev,tmp,run}
    cp /bin/busybox "$root/bin/"
    cp "$BIN/sluice_bpf_tests" "$root/bin/"
    strip "$root/bin/sluice_bpf_tests"
    ldd "$BIN/sluice_bpf_tests" | awk '$2 == "=>" { print $3 } $1 ~ /ld-linux/ { print $1 }' |
        while read -r library; do
            mkdir -p "$root$(dirname "$library")"
            cp -L "$library" "$root$library"
        done
    cat >"$root/init" <<INIT
#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mount -t tmpfs tmp /tmp
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mount -t bpf bpf /sys/fs/bpf
ifconfig lo up
uname -r
sluice_bpf_tests --gtest_color=no --gtest_filter='$2' && echo vm: passed
poweroff -f
INIT
    chmod +x "$root/init"
    (cd "$root" && find . | cpio --quiet -o -H newc | gzip -1) >"$1/initramfs.gz"
}

# vm [GTEST-FILTER]: the switches under load are left out, an emulated machine needs too long for them.
cmd_vm() {
    local filter="${1:--*ThousandSwitches*}" folder="$ROOT/build/vm" kernel accel=tcg
    cmd_build
    local missing=() package
    for package in "${VM_PACKAGES[@]}"; do
        dpkg-query -W "$package" >/dev/null 2>&1 || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] ||
        as_root "to install ${missing[*]}" env DEBIAN_FRONTEND=noninteractive \
            apt-get install -y -q --no-install-recommends "${missing[@]}"
    mkdir -p "$folder"
    kernel="$(vm_kernel "$folder")"
    vm_initramfs "$folder" "$filter"
    [ -z "${SLUICE_VM_KVM:-}" ] || accel=kvm
    say "== vm: $(basename "$kernel"), $accel"
    timeout 900 qemu-system-x86_64 -accel "$accel" -cpu max -m 2048 -smp 2 -nographic -no-reboot \
        -kernel "$kernel" -initrd "$folder/initramfs.gz" \
        -append "console=ttyS0 quiet panic=-1 rdinit=/init" </dev/null 2>&1 | tee "$folder/console.log"
    grep -aq '^vm: passed' "$folder/console.log" || die "vm: failed (console: $folder/console.log)"
}
