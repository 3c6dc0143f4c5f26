// The admin API of this process: one table of routes, and the parts of the process on which they operate.
import { mayCall } from '../access/people/policy.ts'
import type { Principal } from '../access/people/principal.ts'
import type { AnyAdminRoute } from '../admin/admin-route.ts'
import { createAdminRoutes } from '../admin/admin-routes.ts'
import type { AlertControl } from '../admin/alerts/alert-control.ts'
import { createAlertRoutes } from '../admin/alerts/alert-routes.ts'
import { type AlertOperations, createAlertOperations } from '../admin/alerts/manage-alerts.ts'
import { createAlertPolicyRoutes } from '../admin/alerts/policy-routes.ts'
import { createAuditOperations, createAuditRoutes } from '../admin/audit/browse-audit.ts'
import { createBackupRoutes } from '../admin/backup-routes.ts'
import type { CaptureArchive } from '../admin/captures/capture-archive.ts'
import { createCaptureRoutes } from '../admin/captures/capture-routes.ts'
import { createCaptureOperations } from '../admin/captures/manage-captures.ts'
import type { ConfigState } from '../admin/config/live-config.ts'
import { createGroupRoutes } from '../admin/groups/group-routes.ts'
import { createGroupOperations, type GroupOperations } from '../admin/groups/manage-groups.ts'
import { createHealthRoutes, type HealthSource } from '../admin/health-routes.ts'
import { createLedgerOperations, createLedgerRoutes } from '../admin/ledger/browse-ledger.ts'
import { createUsageOperations, createUsageRoutes } from '../admin/ledger/browse-usage.ts'
import {
  type CatalogOperations,
  createCatalogOperations,
  createCatalogRoutes,
} from '../admin/models/browse-catalog.ts'
import { createProviderRoutes } from '../admin/models/browse-providers.ts'
import { createRouteRoutes } from '../admin/models/explain-route.ts'
import { createNodeRoutes, type NodeSource } from '../admin/nodes/browse-nodes.ts'
import { createAccessRoutes } from '../admin/people/access-routes.ts'
import type { PeopleOperations } from '../admin/people/people-operations.ts'
import { createSignInRoutes } from '../admin/people/sign-in-routes.ts'
import { createUserRoutes } from '../admin/people/user-routes.ts'
import { viewCallerAddress } from '../admin/people/view-caller-address.ts'
import { createPriceOperations, createPriceRoutes } from '../admin/prices/browse-prices.ts'
import { createRequestLogOperations, createRequestRoutes } from '../admin/requests/browse-requests.ts'
import { createRequestCallerRoutes } from '../admin/requests/list-callers.ts'
import { createTrafficOperations, createTrafficRoutes } from '../admin/requests/report-traffic.ts'
import { createSettingsRoutes } from '../admin/settings/show-settings.ts'
import type { SignOnOperations } from '../admin/sign-on/sign-on-operations.ts'
import { createSignOnRoutes } from '../admin/sign-on/sign-on-routes.ts'
import type { CatalogSource } from '../catalog/catalog.ts'
import { type Clock, systemClock } from '../kit/time/clock.ts'
import { providerRegistry } from '../providers/registry.ts'
import type { StoredLog } from '../request-log/stored-log.ts'
import { createChangeRoutes } from './change-routes.ts'
import { backUpServer } from './data-folder-backup.ts'
import { createExplainRoute } from './explain-route.ts'
import { createMoneyRoutes } from './money-routes.ts'
import type { OpenConfiguration } from './open-configuration.ts'
import type { OpenKeys } from './open-data-folder.ts'
import type { Metering } from './open-metering.ts'
import type { RequestPipeline } from './open-pipeline.ts'

export interface AdminApiOptions {
  readonly keys: OpenKeys
  readonly configuration: Pick<OpenConfiguration, 'operations' | 'liveConfig' | 'drafts'>
  readonly state: () => ConfigState
  readonly storedLog: StoredLog
  readonly metering: Pick<
    Metering,
    'store' | 'reader' | 'meter' | 'credits' | 'applyChange' | 'learnOthers' | 'learnTopValues'
  >
  readonly health: HealthSource
  readonly catalog: CatalogSource
  readonly clock: Clock
  readonly dataFolder: string
  readonly version: string
  readonly people: PeopleOperations
  readonly signOn: SignOnOperations
  readonly explain: RequestPipeline['explain']
  readonly alerts: AlertControl
  readonly internalRoutes: readonly AnyAdminRoute[]
  readonly captures: CaptureArchive
  readonly nodes: NodeSource
  /** Whether the databases are in PostgreSQL. */
  readonly isInDatabase: boolean
}

export function createAdminApi(options: AdminApiOptions): readonly AnyAdminRoute[] {
  const { keys, storedLog, health, clock, version } = options
  const { operations } = options.configuration
  const alerts = openAlerts(options)
  const more = [
    ...createRequestRoutes(createRequestLogOperations(storedLog, options.captures)),
    ...createRequestCallerRoutes(storedLog),
    ...createTrafficRoutes(createTrafficOperations(storedLog, clock)),
    ...createHealthRoutes(health, { clock, audit: keys.audit }),
    ...createNodeRoutes(options.nodes),
    ...createAuditRoutes(createAuditOperations(keys.audit)),
    ...createAlertRoutes(alerts),
    ...createAlertPolicyRoutes(operations, alerts),
    ...createCaptureRoutes(createCaptureOperations({ archive: options.captures, audit: keys.audit, clock })),
    ...createUsageRoutes(createUsageOperations(options.metering.reader, clock, keys.registry.keys)),
    ...createLedgerRoutes(createLedgerOperations(options.metering.reader, clock)),
    ...createPriceRoutes(createPriceOperations(options.catalog, clock)),
    ...createMoneyRoutes(options),
    ...createGroupRoutes(openGroups(options), operations),
    ...createProviderRoutes(providerRegistry),
    ...createSettingsRoutes({
      state: options.state,
      config: operations,
      version,
      startedAtMs: clock.nowMs(),
    }),
    ...createCatalogRoutes(openCatalog(options)),
    ...createRouteRoutes(createExplainRoute({ explain: options.explain, registry: keys.registry, clock })),
    ...options.internalRoutes,
    ...createSignInRoutes(options.people, {
      listOperations: (principal) => listOperations(routes, principal),
      callers: () => viewCallerAddress(options.state().config),
    }),
    ...createUserRoutes(options.people),
    ...createSignOnRoutes(options.signOn),
    ...createAccessRoutes(options.people),
    ...createChangeRoutes(options),
    ...createBackupRoutes(options.isInDatabase ? undefined : () => createBackup(options), {
      clock: systemClock,
      audit: keys.audit,
    }),
  ]
  const routes = createAdminRoutes({ keys: keys.operations, config: operations, more, version })
  return routes
}

function listOperations(routes: readonly AnyAdminRoute[], principal: Principal): readonly string[] {
  return routes
    .filter(({ policy }) => mayCall(policy, principal))
    .map(({ method, path }) => `${method} ${path}`)
}

function openAlerts({ keys, alerts: control, clock, state }: AdminApiOptions): AlertOperations {
  return createAlertOperations({ control, store: keys.alerts, audit: keys.audit, state, clock })
}

function openGroups({ keys, clock, state }: AdminApiOptions): GroupOperations {
  return createGroupOperations({ stores: keys.people, keys: keys.registry.keys, clock, state })
}

function openCatalog({ keys: { registry }, catalog, state }: AdminApiOptions): CatalogOperations {
  const isAlias = (name: string) =>
    state().config.models.some((entry) => entry.publicName === name && entry.targets !== undefined)
  const { keys, groups } = registry
  return createCatalogOperations({ catalog, keys, groups, isAlias, clock: systemClock })
}

function createBackup({ keys, state, storedLog, metering, dataFolder, version }: AdminApiOptions) {
  const { requestLog } = state().config
  const copyRequests = requestLog === undefined ? undefined : (path: string) => storedLog.copyTo(path)
  const copies = { copyKeys: keys.copyTo, copyLedger: metering.store.copyTo, copyRequests }
  return backUpServer({ dataFolder, version, clock: systemClock }, copies)
}
