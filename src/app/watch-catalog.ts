import { isDeepStrictEqual } from 'node:util'
import type { ConfigState } from '../admin/config/live-config.ts'
import { createKeyCosts } from '../admin/keys/read-key-costs.ts'
import { captureModeOf } from '../capture/capture-mode.ts'
import type { CatalogSource } from '../catalog/catalog.ts'
import { findUnpriced } from '../catalog/prices/find-unpriced.ts'
import { warnOfKey } from '../config/check/warn-of-limits.ts'
import { warnOfPrices, warnOfUnpriced } from '../config/check/warn-of-prices.ts'
import type { Config } from '../config/config.ts'
import { isOfPriceFile, writeConfigWarning } from '../config/config-warning.ts'
import { reasonOf } from '../kit/errors/reason-of.ts'
import { createDelayedSave } from '../kit/time/delayed-save.ts'
import type { LedgerReader } from '../metering/ledger-reader.ts'
import { createAlertSources } from './monitoring/alert-sources.ts'
import type { Telemetry } from './monitoring/start-telemetry.ts'
import { shareKeyUses } from './nodes/share-key-uses.ts'
import type { OpenKeys } from './open-data-folder.ts'
import type { Metering } from './open-metering.ts'
import type { RequestPipeline } from './open-pipeline.ts'
import type { Peers } from './workers/find-peers.ts'

export interface WatchedCatalog {
  readonly pipeline: Pick<RequestPipeline, 'catalog' | 'health'>
  readonly metering: Metering
  readonly telemetry: Telemetry
  readonly keys: OpenKeys
  readonly peers: Peers | undefined
  readonly state: () => ConfigState
}

interface KeySources {
  readonly state: () => { readonly config: Config }
  readonly catalog: CatalogSource
  readonly telemetry: Pick<Telemetry, 'clock' | 'warn'>
  readonly reader: Pick<LedgerReader, 'usage'>
  readonly peers: Peers | undefined
}

/** Uses of keys within this time are stored together. */
const SAVE_USES_AFTER_MS = 10_000

/** Watches keys, prices and other state that changes by itself. */
export function watchCatalog(watched: WatchedCatalog, cleanup: AsyncDisposableStack): void {
  const { keys, peers, state, pipeline, metering, telemetry } = watched
  const sources = { state, catalog: pipeline.catalog, telemetry, reader: metering.reader, peers }
  watchKeys(keys, sources, cleanup)
  warnAtStart(keys, sources)
  telemetry.metrics.watchUnpriced(() => findUnpriced(pipeline.catalog.current()).map(({ model }) => model))
  telemetry.metrics.watchPriceFile(() => !state().config.warnings.some(isOfPriceFile))
  const { clock, disk } = telemetry
  const { registry } = keys
  telemetry.alerts.watch(createAlertSources({ registry, state, pipeline, metering, disk, clock }))
}

/**
 * Logs warnings at the start about models without a price. They depend on the lists of upstreams and the stored keys,
 * which are not known when a configuration is read.
 */
function warnAtStart(
  keys: Pick<OpenKeys, 'registry'>,
  { state, catalog, telemetry: { warn } }: KeySources,
): void {
  const { config } = state()
  const live = keys.registry
    .keys()
    .filter(({ revokedAtMs, disabled }) => revokedAtMs === undefined && !disabled)
  for (const warning of warnOfPrices(config, live, catalog.current()))
    if (!config.warnings.some((known) => isDeepStrictEqual(known, warning))) warn(writeConfigWarning(warning))
}

/**
 * Adds data to the views of keys that is not stored with them: the last use, the capture mode, the cost, and the terms
 * without effect.
 */
function watchKeys(
  keys: OpenKeys,
  { state, catalog, telemetry: { clock, warn }, reader, peers }: KeySources,
  cleanup: AsyncDisposableStack,
): void {
  keys.warnBy((key) => {
    const served = catalog.current()
    const groups = new Map(state().config.groups.map((group) => [group.name, group]))
    return [
      ...warnOfKey(key, groups, served.unlisted.length === 0 ? served : undefined),
      ...warnOfUnpriced(state().config, key, served),
    ]
  })
  keys.captureBy(({ name, group }) => captureModeOf(state().config.capture, { keyName: name, group }))
  keys.costBy(createKeyCosts(reader, clock))
  const publishUses = peers && shareKeyUses(peers.bus, keys.registry.uses)
  const saving = createDelayedSave({
    clock,
    saveAfterMs: SAVE_USES_AFTER_MS,
    async save() {
      const stored = await keys.saveUses()
      publishUses?.(stored)
    },
    onFailure: (error) =>
      warn(`when keys were last used cannot be stored: ${reasonOf(error)}; it is tried again`),
  })
  cleanup.defer(() => saving.close())
  keys.registry.uses.watch(saving.schedule)
}
