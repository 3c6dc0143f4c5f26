// The facts that are shown of keys beside what is stored of them: when each was used last, what is captured of it, and
// which part of it has no effect.
import { createKeyCosts } from '../admin/keys/read-key-costs.ts'
import { captureModeOf } from '../capture/capture-mode.ts'
import type { CatalogSource } from '../catalog/catalog.ts'
import { warnOfKey } from '../config/check/warn-of-limits.ts'
import { warnOfPrices, warnOfUnpriced } from '../config/check/warn-of-prices.ts'
import type { Config } from '../config/config.ts'
import { reasonOf } from '../kit/errors/reason-of.ts'
import { createDelayedSave } from '../kit/time/delayed-save.ts'
import type { LedgerReader } from '../metering/ledger-reader.ts'
import type { OpenKeys } from './open-data-folder.ts'
import type { Telemetry } from './start-telemetry.ts'

export interface KeySources {
  readonly state: () => { readonly config: Config }
  readonly catalog: CatalogSource
  readonly telemetry: Pick<Telemetry, 'clock' | 'warn'>
  readonly reader: Pick<LedgerReader, 'usage'>
}

/** Uses of this time are stored together. */
const SAVE_USES_AFTER_MS = 10_000

/**
 * Logs at the start what the reading of a configuration cannot know of models without a price: the lists of upstreams
 * and the keys in the store.
 */
export function warnAtStart(
  keys: Pick<OpenKeys, 'registry'>,
  { state, catalog, telemetry: { warn } }: KeySources,
): void {
  const { config } = state()
  const live = keys.registry
    .keys()
    .filter(({ revokedAtMs, disabled }) => revokedAtMs === undefined && !disabled)
  for (const warning of warnOfPrices(config, live, catalog.current()))
    if (!config.warnings.includes(warning)) warn(warning)
}

export function watchKeys(
  keys: OpenKeys,
  { state, catalog, telemetry: { clock, warn }, reader }: KeySources,
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
  const saving = createDelayedSave({
    clock,
    saveAfterMs: SAVE_USES_AFTER_MS,
    save: keys.saveUses,
    onFailure: (error) =>
      warn(`when keys were last used cannot be stored: ${reasonOf(error)}; it is tried again`),
  })
  cleanup.defer(() => saving.close())
  keys.registry.uses.watch(saving.schedule)
}
