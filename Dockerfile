# The gateway and what it needs to run, and nothing else. What it serves is below /understudy: mount a folder with a
# config/gateway.yaml there, and its files.

FROM node:22-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json ./
COPY src ./src
RUN npm run build

FROM node:22-slim
ENV NODE_ENV=production HOST=0.0.0.0
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/dist ./dist
WORKDIR /understudy
COPY config ./config
COPY fixtures ./fixtures
USER node
EXPOSE 4010 4011
HEALTHCHECK --interval=10s --timeout=2s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.CONTROL_PORT || 4011}/healthz`).then(reply => process.exit(reply.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "/app/dist/cli.js", "serve", "config/gateway.yaml"]
