import type { ConfigState } from '../admin/config/live-config.ts'
import { findUnpriced } from '../catalog/prices/find-unpriced.ts'
import { createAlertSources } from './alert-sources.ts'
import type { OpenKeys } from './open-data-folder.ts'
import type { Metering } from './open-metering.ts'
import type { RequestPipeline } from './open-pipeline.ts'
import type { Telemetry } from './start-telemetry.ts'
import { warnAtStart, watchKeys } from './watch-keys.ts'

export interface WatchedCatalog {
  readonly pipeline: Pick<RequestPipeline, 'catalog' | 'health'>
  readonly metering: Metering
  readonly telemetry: Telemetry
  readonly keys: OpenKeys
  readonly state: () => ConfigState
}

/** Watches keys, prices and all else that changes by itself. */
export function watchCatalog(watched: WatchedCatalog, cleanup: AsyncDisposableStack): void {
  const { keys, state, pipeline, metering, telemetry } = watched
  const sources = { state, catalog: pipeline.catalog, telemetry, reader: metering.reader }
  watchKeys(keys, sources, cleanup)
  warnAtStart(keys, sources)
  telemetry.metrics.watchUnpriced(() => findUnpriced(pipeline.catalog.current()).map(({ model }) => model))
  const { clock } = telemetry
  telemetry.alerts.watch(createAlertSources({ registry: keys.registry, state, pipeline, metering, clock }))
}
