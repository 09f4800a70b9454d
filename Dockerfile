# The program and its example configuration. It serves the folder /understudy: mount a folder with a config/gateway.yaml
# there.

FROM node:22-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json ./
COPY build ./build
COPY config/gateway.schema.json ./config/
COPY src ./src
RUN npm run build

FROM node:22-slim
ENV NODE_ENV=production HOST=0.0.0.0
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/dist ./dist
COPY deploy/health.mjs /app/
WORKDIR /understudy
COPY config ./config
COPY fixtures ./fixtures
USER node
EXPOSE 4010 4011
HEALTHCHECK --interval=10s --timeout=4s CMD ["node", "/app/health.mjs"]
CMD ["node", "/app/dist/cli.js", "serve", "config/gateway.yaml"]
