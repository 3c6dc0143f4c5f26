// The composition root: a Config in, a running gateway out. With its parts, the only file that knows everyone.
import { createAdminRoutes } from '../admin/admin-routes.ts'
import { createAuditRoutes } from '../admin/audit/audit-routes.ts'
import { createAuditOperations } from '../admin/audit/browse-audit.ts'
import { createBackupRoutes } from '../admin/backup-routes.ts'
import { createAdminTokenCheck, createMetricsTokenCheck } from '../admin/check-admin-token.ts'
import type { ConfigState } from '../admin/config/live-config.ts'
import type { CreatedKey } from '../admin/contract.ts'
import { createHealthRoutes } from '../admin/health-routes.ts'
import { makeFirstKey } from '../admin/keys/make-first-key.ts'
import { createRequestLogOperations } from '../admin/requests/browse-requests.ts'
import { createRequestRoutes } from '../admin/requests/request-routes.ts'
import type { CatalogSource } from '../catalog/catalog.ts'
import type { Config } from '../config/config.ts'
import { describeReload } from '../config/describe-reload.ts'
import { findRestartRequired } from '../config/layers/find-restart-required.ts'
import type { ListenAddress } from '../kit/net/listen-address-schema.ts'
import { type Clock, systemClock } from '../kit/time/clock.ts'
import type { ReportFault } from '../kit/time/guarded-clock.ts'
import { systemRandom } from '../kit/values/random.ts'
import { createDeadlineWatch } from '../pipeline/response/deadline-watch.ts'
import { createDrainGate } from '../server/drain-gate.ts'
import type { FirstKeyFile } from '../storage/files/secret-files.ts'
import { chatFormat } from '../wire/chat/format.ts'
import { cohereFormat } from '../wire/cohere/format.ts'
import { completionsFormat } from '../wire/completions/format.ts'
import { converseFormat } from '../wire/converse/format.ts'
import { embeddingsFormat } from '../wire/embeddings/format.ts'
import { geminiCountTokensFormat } from '../wire/gemini/count-tokens-format.ts'
import { batchEmbedContentsFormat } from '../wire/gemini/embeddings/batch-embed-contents-format.ts'
import { embedContentFormat } from '../wire/gemini/embeddings/embed-content-format.ts'
import { geminiFormat } from '../wire/gemini/format.ts'
import { countTokensFormat } from '../wire/messages/count-tokens/count-tokens-format.ts'
import { messagesFormat } from '../wire/messages/format.ts'
import { responsesFormat } from '../wire/responses/format.ts'
import { createApply, describeServer } from './apply-configuration.ts'
import { backUpServer } from './data-folder-backup.ts'
import { openConfiguration } from './open-configuration.ts'
import { openDataFolder } from './open-data-folder.ts'
import { openListeners } from './open-listeners.ts'
import { openPipeline } from './open-pipeline.ts'
import { startTelemetry } from './start-telemetry.ts'

export interface App {
  readonly address: ListenAddress
  /** Where callers on this machine reach it, without a slash at its end. */
  readonly url: string
  /** Where the admin API and the metrics are; undefined where nothing serves them. */
  readonly adminAddress: ListenAddress | undefined
  /** Only where this start made the first key of the installation; the file holds it too. */
  readonly firstKey: CreatedKey | undefined
  readonly catalog: CatalogSource
  /** Of the data folder, readable by its owner alone: the first key, until somebody who has seen it removes it. */
  readonly firstKeyFile: Pick<FirstKeyFile, 'path' | 'isThere' | 'remove'>
  /**
   * Takes another configuration for all requests that come from then on; those under way end as they began. Answers
   * with the settings that count only from the next start on. Rejects where it cannot be taken, and then nothing of it
   * counts. Not to be called again before it has settled.
   */
  reload(config: Config): Promise<Reloaded>
  /** Writes into the audit why another configuration was not taken. */
  auditRefusedReload(reasons: readonly string[]): Promise<void>
  /** What counts at this moment: the file and what the admin API keeps. */
  configuration(): ConfigState
  /** Logs a fault after which the process must end. */
  reportFault: ReportFault
  /** Refuses what is new, lets live answers finish within the limit, then closes everything. */
  close(drainLimitMs: number): Promise<void>
}

export interface Reloaded {
  /** Settings whose change counts only from the next start on. */
  readonly later: readonly string[]
  readonly state: ConfigState
}

export interface AppOptions {
  readonly config: Config
  readonly version: string
  /** Standard error, for what the log itself cannot say. */
  readonly printError: (line: string) => void
  /** What waits and deadlines of requests are measured by; the system's unless a test makes time go faster. */
  readonly clock?: Clock
}

const formats = {
  chat: chatFormat,
  messages: messagesFormat,
  responses: responsesFormat,
  gemini: geminiFormat,
}
const channelFormats = { ...formats, cohere: cohereFormat, converse: converseFormat }
/** Every operation that callers can ask for. */
export const callerFormats = {
  ...formats,
  completions: completionsFormat,
  embeddings: embeddingsFormat,
  'count-tokens': countTokensFormat,
  'gemini-count-tokens': geminiCountTokensFormat,
  'embed-content': embedContentFormat,
  'batch-embed-contents': batchEmbedContentsFormat,
}

const bySignal = { author: 'signal SIGHUP', address: 'this machine' } as const
const MOST_REASONS = 50

/** Starts everything. What was opened is closed again where a later step fails. */
export async function openApp({
  config: file,
  version,
  printError,
  clock: ownClock,
}: AppOptions): Promise<App> {
  await using cleanup = new AsyncDisposableStack()
  const folder = openDataFolder(file.dataFolder, { clock: systemClock, random: systemRandom })
  const keys = await folder.openKeys(file.keys)
  cleanup.defer(() => keys.close())
  const { keeper, operations, storedResponses } = await openConfiguration(file, { folder, keys })
  const { config } = keeper.state()
  const adminToken = config.adminToken ?? folder.secrets.adminToken()
  const metricsToken = config.metricsToken ?? folder.secrets.metricsToken()
  const secret = file.secret ?? folder.secrets.sealingSecret()
  const telemetry = startTelemetry({ config, printError, clock: ownClock }, cleanup)
  const { metrics, observer, reportFault, clock } = telemetry
  const watch = createDeadlineWatch(clock, reportFault)
  const authenticator = keys.registry
  const pipeline = await openPipeline(
    {
      ...{
        config,
        version,
        secret,
        ownSecrets: [adminToken, metricsToken],
        formats: channelFormats,
        observer,
        authenticator,
        watch,
      },
      onHealthChange: telemetry.healthChanged,
      onHealthReset: telemetry.healthReset,
      onHealthCheck: telemetry.metrics.healthChecked,
      healthStore: keys.health,
      ...{ clock, reportFault },
      storedResponsePersistence: storedResponses,
      warn: telemetry.warn,
    },
    cleanup,
  )
  metrics.watchHealth(() => ({
    lines: pipeline.health.report(clock.monotonicMs()),
    channels: pipeline.health.channels(),
    waiting: pipeline.health.waiting()?.count ?? 0,
  }))
  const gate = createDrainGate({ clock })
  metrics.watchActive(() => gate.active)
  const takeBackup = () => {
    const { requestLog } = keeper.state().config
    const copyRequests =
      requestLog === undefined ? undefined : (path: string) => telemetry.storedLog.copyTo(path)
    const input = { dataFolder: config.dataFolder, version, clock: systemClock }
    return backUpServer(input, { copyKeys: keys.copyTo, copyRequests })
  }
  const more = [
    ...createRequestRoutes(createRequestLogOperations(telemetry.storedLog)),
    ...createHealthRoutes(pipeline.health, { clock, audit: keys.audit }),
    ...createAuditRoutes(createAuditOperations(keys.audit)),
    ...createBackupRoutes(takeBackup, { clock: systemClock, audit: keys.audit }),
  ]
  const adminRoutes = createAdminRoutes({ keys: keys.operations, config: operations, more, version })
  const listeners = await openListeners(
    config,
    { ...pipeline, formats: callerFormats, metrics, gate, adminRoutes, proveServer: folder.server.prove },
    {
      callerAccess: pipeline.callerAccess,
      formats: callerFormats,
      gate,
      observer,
      reportFault,
      clock,
      watch,
      checkAdmin: createAdminTokenCheck(config.admin.type === 'off' ? '' : adminToken),
      checkMetrics: createMetricsTokenCheck([metricsToken, adminToken]),
    },
  )
  cleanup.defer(() => listeners.close())
  folder.server.write(describeServer(listeners, config))
  cleanup.defer(() => folder.server.remove())
  const firstKey = await makeFirstKey(keys.operations, folder.secrets.firstKey.write)
  const open = cleanup.move()

  function auditReload(action: 'config.reload' | 'config.reload_refused', details: readonly string[]) {
    const { source } = file
    const subject = source.type === 'file' ? source.path : 'environment'
    return keys.audit.append({ ...bySignal, action, subject, details, atMs: systemClock.nowMs() })
  }

  async function reload(next: Config): Promise<Reloaded> {
    const details = describeReload(keeper.state().file, next)
    const state = await keeper.reload(next, async () => {
      const take = await keys.replaceBootstrap(next.keys)
      await auditReload('config.reload', details)
      return take
    })
    return { later: findRestartRequired(config, state.config), state }
  }

  const apply = createApply({ pipeline, listeners, telemetry, server: folder.server })
  keeper.serve({ apply, preview: pipeline.preview })

  return {
    address: listeners.callers.address,
    url: listeners.callers.url,
    adminAddress: listeners.admin?.address,
    firstKey,
    catalog: pipeline.catalog,
    firstKeyFile: folder.secrets.firstKey,
    reload,
    auditRefusedReload: (reasons) => auditReload('config.reload_refused', reasons.slice(0, MOST_REASONS)),
    configuration: keeper.state,
    reportFault,
    async close(drainLimitMs) {
      await gate.drain(drainLimitMs)
      await open.disposeAsync()
    },
  }
}
