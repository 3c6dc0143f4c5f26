import type { Group, UserTerms } from '../access/group.ts'
import type { BootstrapKey } from '../access/key-schema.ts'
import type { RateTerms } from '../access/limits/rate-schema.ts'
import type { SignInPolicy } from '../access/sign-on/sign-in-policy.ts'
import type { AlertPolicy } from '../alerts/alert-schema.ts'
import type { CapturePolicy } from '../capture/capture-schema.ts'
import type { Channel } from '../catalog/channel.ts'
import type { MediaPolicy } from '../catalog/media-schema.ts'
import type { ModelEntry } from '../catalog/model-entry.ts'
import type { FindKnownModel, FindPriceVersion } from '../catalog/prices/find-price.ts'
import type { JsonObject } from '../kit/json/json.ts'
import type { ListenAddress } from '../kit/net/listen-address-schema.ts'
import type { TlsIdentity } from '../kit/net/tls-identity.ts'
import type { InstallationBudget } from '../metering/budgets/installation-budget-schema.ts'
import type { LedgerPolicy, UnpricedPolicy } from '../metering/ledger/ledger-schema.ts'
import type { RequestLogPolicy } from '../request-log/request-log-schema.ts'
import type { QueuePolicy } from '../routing/queue/queue-schema.ts'
import type { RecoveryPolicy } from '../routing/recovery-schema.ts'
import type { RetryPolicy } from '../routing/retry-schema.ts'
import type { IdempotencyPolicy } from '../stored-answers/idempotency-schema.ts'
import type { StoredResponsesPolicy } from '../stored-answers/stored-responses-schema.ts'
import type { LogLevel } from '../telemetry/request-log.ts'
import type { ConfigWarning } from './config-warning.ts'
import type { DatabaseSettings } from './database-schema.ts'
import type { Limits } from './limits-schema.ts'
import type { Environment } from './source/environment.ts'
import type { WebSocketPolicy } from './websocket-schema.ts'
import type { WorkersInput } from './workers-schema.ts'

/** Everything that an operator decides, checked, resolved and frozen. */
export interface Config {
  readonly source: ConfigSource
  readonly listen: ListenAddress
  /** The absolute path of the data folder. */
  readonly dataFolder: string
  /** The number of processes that serve callers. Undefined where one process does everything. */
  readonly workers: number | undefined
  /** Whether each process warms up before its first callers arrive. */
  readonly warmsUp: boolean
  /** The database that several nodes share. Undefined where the data folder stores everything. */
  readonly database: DatabaseSettings | undefined
  readonly admin: AdminPlacement
  /** Whether channels of the admin API may use private networks and proxies. */
  readonly apiMayReachPrivate: boolean
  readonly adminAccess: AdminAccess
  /** The public address, without a trailing slash. */
  readonly publicUrl: string | undefined
  /** Addresses and ranges of the proxies that are trusted to state the caller's address. */
  readonly trustedProxies: readonly string[]
  /** The listener's TLS certificate. Undefined where the listener speaks plain HTTP. */
  readonly tls: TlsIdentity | undefined
  readonly limits: Limits
  /** Undefined where heartbeats are off. */
  readonly heartbeat: Heartbeat | undefined
  /** The time for which live answers may continue after the process was asked to stop. */
  readonly drainMs: number
  readonly keys: readonly BootstrapKey[]
  readonly channels: readonly Channel[]
  readonly models: readonly ModelEntry[]
  readonly groups: readonly Group[]
  readonly users: readonly UserTerms[]
  readonly budgets: readonly InstallationBudget[]
  readonly rates: ConfiguredRates
  readonly ledger: LedgerPolicy
  readonly unpriced: UnpricedPolicy
  /** Undefined where `idempotency-key` has no effect. */
  readonly idempotency: IdempotencyPolicy | undefined
  /** Undefined where files at callers' addresses are not fetched. */
  readonly media: MediaPolicy | undefined
  readonly retry: RetryPolicy
  readonly recovery: RecoveryPolicy
  /** Undefined where the content of responses is not stored. */
  readonly storedResponses: StoredResponsesPolicy | undefined
  /** Undefined where no request waits for a target. */
  readonly queue: QueuePolicy | undefined
  /** Undefined where callers may not connect over WebSocket. */
  readonly webSocket: WebSocketPolicy | undefined
  readonly log: { readonly level: LogLevel }
  /** Undefined where requests are not stored. */
  readonly requestLog: RequestLogPolicy | undefined
  readonly alerts: AlertPolicy
  readonly capture: CapturePolicy
  readonly signIn: SignInPolicy
  /** Encrypts upstream keys at rest. Comes from the environment only. */
  readonly secret: string | undefined
  /** The secret before `secret`. Comes from the environment only. */
  readonly previousSecret?: string | undefined
  /** The admin token. Comes from the environment only. */
  readonly adminToken: string | undefined
  /** The metrics token. Comes from the environment only. */
  readonly metricsToken?: string | undefined
  readonly warnings: readonly ConfigWarning[]
  /** Finds prices and limits of models for which the operator states none. */
  readonly findKnownModel: FindKnownModel
  readonly findPriceVersion: FindPriceVersion
  /** The file's own part. The admin API's part is joined with it. */
  readonly file: FileLayer
}

/** Rate limits that do not belong to a key, user or group. */
export interface ConfiguredRates {
  readonly installation: RateTerms | undefined
  /** The terms by public model name. */
  readonly models: ReadonlyMap<string, RateTerms>
}

/** The configuration file as it was read, with variables substituted, and its context. */
export interface FileLayer {
  readonly value: JsonObject
  /** The values that were read from `${file:PATH}`. They must never be shown. */
  readonly fileTexts: readonly string[]
  readonly source: ConfigSource
  readonly environment: Environment
  /** The settings of flags or the environment, which override the file. */
  readonly outer: OuterSettings
  readonly workingFolder: string
}

export interface OuterSettings {
  readonly listen?: ListenAddress
  readonly data?: string
  readonly workers?: WorkersInput
}

export type ConfigSource =
  /** The path is as it was given, and may be relative. */
  | { readonly type: 'file'; readonly path: string }
  /** The channels come from the environment, because there is no file. */
  | { readonly type: 'discovered'; readonly warnings?: readonly ConfigWarning[] }

/** The place where the admin API and the metrics are served. */
export type AdminPlacement =
  /** The callers' listener, which only this machine can reach. */
  | { readonly type: 'shared' }
  | { readonly type: 'own'; readonly listen: ListenAddress }
  | { readonly type: 'off' }

/** The rules of access to the operators' paths. */
export interface AdminAccess {
  /** Allowed host names besides loopback and the listener's addresses, in lower case. */
  readonly hosts: readonly string[]
  /** Whether the metrics need a token on loopback, too. */
  readonly metricsNeedToken: boolean
}

export interface Heartbeat {
  readonly afterMs: number
  readonly everyMs: number
}
