# Placeholder until dev/setup lands.
build:
	meson setup build >/dev/null 2>&1 || true
	ninja -C build
.PHONY: build
