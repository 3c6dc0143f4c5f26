import { resolve } from 'node:path'
import { passwordsOnly } from '../access/sign-on/sign-in-policy.ts'
import { defaultAlertPolicy } from '../alerts/alert-schema.ts'
import { defaultCapturePolicy } from '../capture/capture-schema.ts'
import { readMediaPolicy } from '../catalog/media-schema.ts'
import { bareHost } from '../kit/net/bare-host.ts'
import { isLoopback, type ListenAddress } from '../kit/net/listen-address-schema.ts'
import { ledgerSchema } from '../metering/ledger/ledger-schema.ts'
import { createModelFinder } from '../providers/prices/create-model-finder.ts'
import { createVersionFinder } from '../providers/prices/create-version-finder.ts'
import { providerRegistry } from '../providers/registry.ts'
import { requestLogSchema } from '../request-log/request-log-schema.ts'
import { readQueue } from '../routing/queue/queue-schema.ts'
import { recoverySchema } from '../routing/recovery-schema.ts'
import { retrySchema } from '../routing/retry-schema.ts'
import { readIdempotency } from '../stored-answers/idempotency-schema.ts'
import { readStoredResponses } from '../stored-answers/stored-responses-schema.ts'
import { findWarnings } from './check/find-warnings.ts'
import type { AdminPlacement, Config, ConfigSource, FileLayer, OuterSettings } from './config.ts'
import type { ConfigInput } from './config-schema.ts'
import { readDatabase } from './database-schema.ts'
import { readLimits } from './limits-schema.ts'
import type { ParsedConfig } from './parse-config.ts'
import type { Environment } from './source/environment.ts'
import { openPriceTables } from './source/open-price-tables.ts'
import type { ConfigFiles } from './source/read-config-files.ts'
import { readWarmUp } from './warm-up-schema.ts'
import { readWebSocket } from './websocket-schema.ts'
import { countWorkers } from './workers-schema.ts'

export const DEFAULT_LISTEN: ListenAddress = { host: '127.0.0.1', port: 8080 }
export const DEFAULT_DATA = 'data'
const DEFAULT_HEARTBEAT_MS = 10_000
const DEFAULT_DRAIN_MS = 30_000

export interface ResolveInput {
  readonly parsed: ParsedConfig
  readonly source: ConfigSource
  /** The contents of the files that the configuration names. */
  readonly files: ConfigFiles
  readonly environment: Environment
  /** The settings of flags or the environment, which override the file. */
  readonly outer: OuterSettings
  readonly workingFolder: string
  /** The file's part, where `parsed` contains more than that. */
  readonly file?: FileLayer
}

/** Fills in the defaults of the document and freezes the result. */
export function resolveConfig({ parsed, files, file: fileLayer, ...loaded }: ResolveInput): Config {
  const { source, environment, outer, workingFolder } = loaded
  const { input, models, value, fileTexts } = parsed
  const { channels, tls } = files
  const dataFolder = resolve(workingFolder, outer.data ?? input.data ?? DEFAULT_DATA)
  const prices = openPriceTables(dataFolder)
  const resolved = {
    source,
    ...resolveListeners(input, outer),
    dataFolder,
    workers: countWorkers(outer.workers ?? input.workers),
    warmsUp: readWarmUp(environment.warmUp ?? input.warm_up ?? 'on') ?? true,
    database: resolveDatabase(input, environment, files),
    apiMayReachPrivate: typeof input.admin === 'object' && input.admin.allow_private === true,
    adminAccess: readAdminAccess(input),
    publicUrl: input.public_url?.replace(/\/+$/, ''),
    trustedProxies: input.trusted_proxies ?? [],
    tls,
    limits: readLimits(input.limits),
    heartbeat: readHeartbeat(input.heartbeat),
    drainMs: input.drain ?? DEFAULT_DRAIN_MS,
    keys: input.keys ?? [],
    channels,
    models,
    groups: input.groups ?? [],
    users: input.users ?? [],
    budgets: input.budgets ?? [],
    rates: readRates(input),
    ledger: input.ledger ?? ledgerSchema.parse({}),
    unpriced: input.unpriced ?? 'serve',
    idempotency: readIdempotency(input.idempotency),
    media: readMediaPolicy(input.media),
    retry: input.retry ?? retrySchema.parse({}),
    queue: readQueue(input.queue),
    recovery: input.recovery ?? recoverySchema.parse({}),
    storedResponses: readStoredResponses(input.stored_responses),
    webSocket: readWebSocket(input.websocket),
    log: { level: input.log?.level ?? 'info' },
    requestLog: readRequestLog(input.request_log),
    alerts: input.alerts ?? defaultAlertPolicy,
    capture: input.capture ?? defaultCapturePolicy,
    signIn: input.sign_in ?? passwordsOnly,
    secret: environment.secret,
    previousSecret: environment.previousSecret,
    adminToken: environment.adminToken,
    metricsToken: environment.metricsToken,
    findKnownModel: createModelFinder(providerRegistry, prices.tables),
    findPriceVersion: createVersionFinder(providerRegistry, { tables: prices.tables, models, channels }),
  } as const
  const file = fileLayer ?? { value, fileTexts, source, environment, outer, workingFolder }
  const warnings = [...prices.warnings, ...findWarnings(resolved)]
  return Object.freeze({ ...deepFreeze({ ...resolved, warnings }), file })
}

/** Resolves the addresses at which callers and operators connect. */
export function resolveListeners(
  input: Pick<ConfigInput, 'listen' | 'admin'>,
  outer: OuterSettings,
): Pick<Config, 'listen' | 'admin'> {
  const listen = outer.listen ?? input.listen ?? DEFAULT_LISTEN
  return { listen, admin: resolveAdmin(input.admin, listen) }
}

function resolveDatabase(
  { database_url: ofFile, database }: ConfigInput,
  { databaseUrl = ofFile }: Environment,
  { databaseAuthority }: ConfigFiles,
): Config['database'] {
  return databaseUrl === undefined ? undefined : readDatabase(databaseUrl, database, databaseAuthority)
}

function resolveAdmin(admin: ConfigInput['admin'], listen: ListenAddress): AdminPlacement {
  if (admin === 'off' || admin === false) return { type: 'off' }
  if (typeof admin === 'object' && admin.listen !== undefined) return { type: 'own', listen: admin.listen }
  return isLoopback(listen) ? { type: 'shared' } : { type: 'off' }
}

function readAdminAccess({ admin, public_url: publicUrl }: ConfigInput): Config['adminAccess'] {
  const { hosts = [], metrics } = typeof admin === 'object' ? admin : {}
  const names = [...hosts, ...(publicUrl === undefined ? [] : [bareHost(new URL(publicUrl))])]
  return { hosts: names.map((name) => name.toLowerCase()), metricsNeedToken: metrics === 'token' }
}

function readRates({ rate, models = {} }: ConfigInput): Config['rates'] {
  const ofModels = Object.entries(models).flatMap(([name, entry]) =>
    entry.rate === undefined ? [] : [[name, entry.rate] as const],
  )
  return { installation: rate, models: new Map(ofModels) }
}

function readRequestLog(policy: ConfigInput['request_log']): Config['requestLog'] {
  const resolved = policy ?? requestLogSchema.parse({})
  return resolved === 'off' ? undefined : resolved
}

function readHeartbeat(heartbeat: ConfigInput['heartbeat']): Config['heartbeat'] {
  if (heartbeat === 'off' || heartbeat === false) return undefined
  return {
    afterMs: heartbeat?.after ?? DEFAULT_HEARTBEAT_MS,
    everyMs: heartbeat?.every ?? DEFAULT_HEARTBEAT_MS,
  }
}

/** Freezes plain objects and arrays at every depth. Maps and sets are protected only by their read-only types. */
function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const part of Object.values(value)) deepFreeze(part)
  return value
}
