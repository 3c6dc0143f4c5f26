// The routes that preview and draft changes, based on the configuration in force, the keys and the amounts spent in
// budgets.
import type { AdminRoute } from '../admin/admin-route.ts'
import { createPreviewOperations, type PreviewOperations } from '../admin/config/preview-changes.ts'
import { createPreviewRoutes } from '../admin/config/preview-routes.ts'
import { createDraftRoutes } from '../admin/drafts/draft-routes.ts'
import { createDraftOperations } from '../admin/drafts/manage-drafts.ts'
import { createGroupDependents } from '../admin/groups/group-dependents.ts'
import { systemRandom } from '../kit/random/random.ts'
import type { Clock } from '../kit/time/clock.ts'
import type { Budget } from '../metering/budget.ts'
import { providerRegistry } from '../providers/registry.ts'
import type { OpenConfiguration } from './open-configuration.ts'
import type { OpenKeys } from './open-data-folder.ts'
import type { Metering } from './open-metering.ts'

export interface ChangeRouteOptions {
  readonly keys: Pick<OpenKeys, 'registry' | 'operations' | 'people' | 'previewBy'>
  readonly configuration: Pick<OpenConfiguration, 'operations' | 'liveConfig' | 'drafts'>
  readonly metering: Pick<Metering, 'meter'>
  readonly clock: Clock
}

export function createChangeRoutes(options: ChangeRouteOptions): readonly AdminRoute[] {
  const { configuration, clock, keys } = options
  const previews = openPreviews(options)
  keys.previewBy(previews.key)
  const drafts = createDraftOperations({
    ...configuration,
    previews,
    registry: providerRegistry,
    clock,
    random: systemRandom,
  })
  return [...createPreviewRoutes(previews), ...createDraftRoutes(drafts)]
}

function openPreviews({ configuration, keys, metering, clock }: ChangeRouteOptions): PreviewOperations {
  const { meter } = metering
  const raisedBy = (budget: Budget) => {
    const { limit } = meter.raised(budget, clock.nowMs())
    return limit === undefined || budget.limit === undefined ? 0 : limit - budget.limit
  }
  return createPreviewOperations({
    liveConfig: configuration.liveConfig,
    registry: providerRegistry,
    keys: keys.registry.keys,
    groups: createGroupDependents({ stores: keys.people, keys: keys.registry.keys }),
    useOf: (budget) => ({
      spent: meter.status({ budget }, clock.nowMs()).spent,
      raisedBy: raisedBy(budget),
    }),
    clock,
  })
}
