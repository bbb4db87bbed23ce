# The operator's image: one Node binary, the libraries it links to, the bundle. No shell, no package manager, no root.
#   docker build -t marekvs-operator:0.1.0 --build-arg NODE_DIGEST=sha256:<digest> .
# The bundle is the same for every architecture, so cross builds bundle on the builder's own and take Node from the target's image.
ARG NODE_IMAGE=node:26.10.0-slim
# Of the image's index: the same Node for every build, whatever the tag points to by then. No default, because it can only be looked up
# at a registry, once by a person who releases: without it `@` stands alone, and the build fails at its first line.
#   docker buildx imagetools inspect node:26.10.0-slim
ARG NODE_DIGEST

FROM --platform=$BUILDPLATFORM ${NODE_IMAGE}@${NODE_DIGEST} AS bundle
WORKDIR /src
# .dockerignore lets in what the bundle is made of and nothing else.
COPY . .
# Modes are set at the end of each stage: those of the files here, and the builder's umask, differ from one machine to the next.
# Install scripts stay off: esbuild's binary is a package of its own, and Node is here already.
# Exactly what the lock names, each package by the hash of its contents, or no image.
RUN npm ci --ignore-scripts
RUN node --conditions=development packages/operator/bundle.ts /app \
 && find /app -name '*.map' -delete \
 && chmod -R u=rwX,go=rX /app

FROM ${NODE_IMAGE}@${NODE_DIGEST} AS rootfs
# Node finds names with glibc, which reads nsswitch.conf; /etc/hosts and /etc/resolv.conf come from the kubelet.
RUN mkdir -p /rootfs/etc \
 && echo 'hosts: files dns' > /rootfs/etc/nsswitch.conf \
 && ldd /usr/local/bin/node | awk '{ for (i = 1; i <= NF; i++) if ($i ~ /^\//) print $i }' \
  | xargs -I{} cp -L --parents {} /rootfs \
 && cp --parents /usr/local/bin/node /rootfs \
 && chmod -R u=rwX,go=rX /rootfs
COPY --from=bundle /app /rootfs/app

FROM scratch
LABEL org.opencontainers.image.title="marekvs-operator" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=rootfs /rootfs /
# A number, so that runAsNonRoot can be checked. Nothing in the image belongs to it: it can read, and write nowhere.
USER 65532:65532
WORKDIR /app
# No shell in between: SIGTERM reaches the operator, which then releases its lease.
ENTRYPOINT ["/usr/local/bin/node", "/app/main.js"]
