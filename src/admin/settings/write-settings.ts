import { writeRate } from '../../access/limits/write-limits.ts'
import { labelOfProvider, type OidcPolicy } from '../../access/sign-on/sign-in-policy.ts'
import type { Config } from '../../config/config.ts'
import type { JsonObject, JsonValue } from '../../kit/json/json.ts'
import type { ListenAddress } from '../../kit/net/listen-address-schema.ts'
import { writeDuration } from '../../kit/time/write-duration.ts'
import { writeAlerts } from '../alerts/view-policy.ts'

/** The settings in force in the syntax of the configuration file, with defaults filled in. Holds no secret. */
export function writeSettings(config: Config): Readonly<Record<string, JsonValue>> {
  return {
    ...writePlaces(config),
    ...writeLimits(config),
    ...writeStores(config),
    ...writeRouting(config),
    log: { level: config.log.level },
    rate: config.rates.installation === undefined ? {} : { ...writeRate(config.rates.installation) },
    alerts: writeAlerts(config.alerts),
    capture: writeCapture(config),
    sign_in: writeSignIn(config.signIn),
  }
}

function writePlaces({ listen, admin, adminAccess, apiMayReachPrivate, ...config }: Config): JsonObject {
  const { hosts, metricsNeedToken } = adminAccess
  return {
    listen: writeAddress(listen),
    data: config.dataFolder,
    database_url: config.database === undefined ? null : `postgres://…@${config.database.host}/…`,
    database: writeDatabase(config),
    admin:
      admin.type === 'off'
        ? 'off'
        : {
            listen: admin.type === 'own' ? writeAddress(admin.listen) : writeAddress(listen),
            hosts: [...hosts],
            metrics: metricsNeedToken ? 'token' : 'open',
            allow_private: apiMayReachPrivate,
          },
    public_url: config.publicUrl ?? null,
    trusted_proxies: [...config.trustedProxies],
    tls: config.tls !== undefined,
    drain: writeDuration(config.drainMs),
    workers: config.workers ?? 'off',
    warm_up: config.warmsUp ? 'on' : 'off',
  }
}

function writeLimits({ limits, heartbeat, webSocket }: Config): JsonObject {
  return {
    limits: {
      body: writeByteSize(limits.bodyBytes),
      held_bodies: writeByteSize(limits.heldBodyBytes),
      held_bodies_per_key: writeByteSize(limits.heldBodyBytesOfKey),
      held_answers: writeByteSize(limits.heldAnswerBytes),
      upload: writeByteSize(limits.uploadBytes),
      upload_memory: writeByteSize(limits.uploadMemoryBytes),
      held_uploads: writeByteSize(limits.heldUploadBytes),
      held_uploads_per_key: writeByteSize(limits.heldUploadBytesOfKey),
      connections: limits.connections,
      connections_per_address: limits.connectionsPerAddress,
    },
    heartbeat:
      heartbeat === undefined
        ? 'off'
        : { after: writeDuration(heartbeat.afterMs), every: writeDuration(heartbeat.everyMs) },
    websocket:
      webSocket === undefined
        ? 'off'
        : { idle: writeDuration(webSocket.idleMs), per_key: webSocket.socketsOfKey },
  }
}

function writeStores({ ledger, unpriced, requestLog, storedResponses, idempotency }: Config): JsonObject {
  return {
    ledger: {
      durability: ledger.durability,
      serve_without_store: writeDuration(ledger.serveWithoutStoreMs),
      keep: ledger.keepMs === undefined ? null : writeDuration(ledger.keepMs),
      max_bytes: ledger.maxBytes === undefined ? null : writeByteSize(ledger.maxBytes),
    },
    unpriced,
    request_log:
      requestLog === undefined
        ? 'off'
        : { keep: writeDuration(requestLog.keepMs), max_rows: requestLog.maxRows },
    stored_responses: writeRetention(storedResponses),
    idempotency: writeRetention(idempotency),
  }
}

function writeRetention(
  policy: { readonly keepMs: number; readonly maxBytes: number } | undefined,
): JsonValue {
  if (policy === undefined) return 'off'
  return { keep: writeDuration(policy.keepMs), max_bytes: writeByteSize(policy.maxBytes) }
}

function writeRouting({ retry, queue, recovery, media }: Config): JsonObject {
  return {
    retry: {
      attempts: retry.attempts,
      same_target: retry.sameTarget,
      max_retry_after: writeDuration(retry.maxRetryAfterMs),
      deadline: writeDuration(retry.deadlineMs),
    },
    queue: queue === undefined ? 'off' : { size: queue.size, wait: writeDuration(queue.waitMs) },
    recovery: { mid_stream: recovery.midStream },
    media:
      media === undefined
        ? 'off'
        : {
            max_bytes: writeByteSize(media.maxBytes),
            max_total_bytes: writeByteSize(media.maxTotalBytes),
            max_count: media.maxCount,
            max_held_bytes: writeByteSize(media.maxHeldBytes),
            max_held_bytes_per_key: writeByteSize(media.maxHeldBytesOfKey),
            max_fetches: media.maxFetches,
            timeout: writeDuration(media.timeoutMs),
            allow_private: media.allowPrivate,
          },
  }
}

/** The address is shown without its user and password. */
function writeDatabase({ database }: Pick<Config, 'database'>): JsonValue {
  if (database === undefined) return null
  const { name, schema, tls, connections, connectTimeoutMs, statementTimeoutMs } = database
  return {
    name,
    schema,
    tls: tls.type,
    connections,
    connect_timeout: writeDuration(connectTimeoutMs),
    statement_timeout: writeDuration(statementTimeoutMs),
  }
}

/** Patterns are shown: a reader of the configuration may see what they remove. */
function writeCapture({ capture }: Config): JsonObject {
  const { bodies, keys, groups, maxBodyBytes, keepMs, maxBytes, redact } = capture
  return {
    bodies,
    keys: Object.fromEntries(keys),
    groups: Object.fromEntries(groups),
    max_body: writeByteSize(maxBodyBytes),
    keep: writeDuration(keepMs),
    max_bytes: writeByteSize(maxBytes),
    redact: [...redact],
  }
}

function writeAddress({ host, port }: ListenAddress): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}

const units = [
  ['GB', 1024 ** 3],
  ['MB', 1024 ** 2],
  ['KB', 1024],
] as const

/** A byte size in the syntax of the configuration, in the largest unit that divides it evenly. */
function writeByteSize(bytes: number): string {
  const unit = units.find(([, size]) => bytes % size === 0)
  return unit === undefined ? `${bytes}B` : `${bytes / unit[1]}${unit[0]}`
}

/** Writes the section `sign_in`, without the secret of the client. */
function writeSignIn({ password, secondFactorRoles, oidc }: Config['signIn']): JsonValue {
  return {
    password: password ? 'on' : 'off',
    second_factor: [...secondFactorRoles],
    oidc: oidc === undefined ? null : writeOidc(oidc),
  }
}

function writeOidc(oidc: OidcPolicy): JsonObject {
  const { roles, groups } = oidc
  return {
    issuer: oidc.issuer,
    client_id: oidc.clientId,
    label: labelOfProvider(oidc),
    scopes: [...oidc.scopes],
    name_claim: oidc.nameClaim,
    role_claim: oidc.roleClaim ?? null,
    roles: roles === undefined ? null : Object.fromEntries(roles),
    default_role: oidc.defaultRole ?? null,
    group_claim: oidc.groupClaim ?? null,
    groups:
      groups === undefined
        ? null
        : Object.fromEntries([...groups].map(([value, membership]) => [value, { ...membership }])),
    domains: [...oidc.domains],
    trust_email: oidc.trustsEmail,
    second_factor: oidc.trustsSecondFactor ? 'provider' : null,
    session: writeDuration(oidc.sessionMs),
    refused_keys: oidc.refusedKeys,
    allow_private: oidc.allowPrivate,
    proxy: oidc.proxy === undefined ? null : new URL(oidc.proxy).origin,
  }
}
