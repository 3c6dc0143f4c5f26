import { permissionOf } from '../../access/describe-caller.ts'
import { type Group, NO_MULTIPLIER_PPM } from '../../access/group.ts'
import type { Key } from '../../access/key.ts'
import type { OwnReach, Reach } from '../../access/people/principal.ts'
import { type Permission, permits } from '../../access/permission.ts'
import { GatewayError } from '../../canonical/failure.ts'
import {
  type Catalog,
  type CatalogSource,
  type PublicModel,
  type Target,
  weightOf,
} from '../../catalog/catalog.ts'
import type { Clock } from '../../kit/time/clock.ts'
import type { AdminRoute } from '../admin-route.ts'
import { readListCursor, readSort, writeNextAfter } from '../paging/list-cursor.ts'
import { DEFAULT_PAGE_ROWS } from '../paging/page-fields.ts'
import { pageList } from '../paging/page-list.ts'
import { checkInput, readInput } from '../read-input.ts'
import { readReach } from '../read-reach.ts'
import {
  type ListServedModels,
  listServedModelsSchema,
  type ServedModelList,
  type ServedModelView,
  servedModelListSchema,
} from './catalog-contract.ts'
import { listChargedPrices } from './charged-prices.ts'

/** The operations that read what is served. */
export interface CatalogOperations {
  /** Lists by name. Members see the models that their groups may use. */
  list(query: ListServedModels, reach: Reach): Promise<ServedModelList>
}

export interface CatalogOperationOptions {
  readonly catalog: CatalogSource
  readonly keys: () => readonly Key[]
  readonly groups: () => ReadonlyMap<string, Group> | undefined
  /** Whether the configuration gives the public name targets of its own. */
  readonly isAlias: (name: string) => boolean
  readonly clock: Pick<Clock, 'nowMs'>
}

export function createCatalogOperations(options: CatalogOperationOptions): CatalogOperations {
  const { catalog, isAlias, clock } = options
  return {
    async list(input, reach) {
      const params = readInput(listServedModelsSchema, input)
      const { q = '', key, channel, sort, after, limit = DEFAULT_PAGE_ROWS } = params
      const served = catalog.current()
      const findMultipliers = createMultiplierFinder(key, reach, options)
      const fitting = served.models.filter(
        ({ name }) =>
          name.toLowerCase().includes(q.toLowerCase()) &&
          findMultipliers(name).length > 0 &&
          (channel === undefined || isServedBy(served, name, channel)),
      )
      const { items, next } = pageList(fitting, {
        sortValueOf: ({ name }) => name,
        idOf: ({ name }) => name,
        descending: readSort(sort, ['name']).descending,
        after: readListCursor(after, 'string'),
        limit,
      })
      const isFull = reach.type === 'all'
      return {
        data: items.map((model) => ({
          ...viewModel(model, { served, isAlias, isFull }),
          charged: [
            ...listChargedPrices(
              served.findRoute(model.name)?.targets ?? [],
              findMultipliers(model.name),
              clock.nowMs(),
            ),
          ],
        })),
        unlisted: isFull ? [...served.unlisted] : [],
        next_after: writeNextAfter(next),
      }
    },
  }
}

/**
 * The multipliers under which a name may be used by one key or, without a key, by members. For members, one of their
 * groups must grant the name. Empty if the name may not be used.
 */
function createMultiplierFinder(
  reference: string | undefined,
  reach: Reach,
  { keys, groups }: CatalogOperationOptions,
): (name: string) => readonly number[] {
  const known = groups() ?? new Map<string, Group>()
  if (reference !== undefined) {
    const key = findKey(reference, reach, keys())
    const permission: Permission = permissionOf(key, known)
    const group = key.group === undefined ? undefined : known.get(key.group)
    const multipliers = [group?.multiplierPpm ?? NO_MULTIPLIER_PPM]
    return (name) => (permits(permission, name) ? multipliers : [])
  }
  if (reach.type === 'all') return () => [NO_MULTIPLIER_PPM]
  const own = reach.groups.flatMap((name) => known.get(name) ?? [])
  return (name) =>
    own.filter(({ permission }) => permits(permission, name)).map(({ multiplierPpm }) => multiplierPpm)
}

function findKey(reference: string, reach: Reach, keys: readonly Key[]): Key {
  const found =
    keys.find(({ id }) => id === reference) ??
    keys.find(({ name, revokedAtMs }) => name === reference && revokedAtMs === undefined)
  if (found === undefined || (reach.type === 'own' && !isOwn(found, reach)))
    throw new GatewayError('key_not_found', { param: 'key' })
  return found
}

function isOwn({ user, group }: Key, reach: OwnReach): boolean {
  return user === reach.user || (group !== undefined && reach.managedGroups.includes(group))
}

function isServedBy(served: Catalog, name: string, wanted: string): boolean {
  return served.findRoute(name)?.targets.some(({ channel }) => channel.name === wanted) === true
}

interface ModelContext {
  readonly served: Catalog
  readonly isAlias: (name: string) => boolean
  readonly isFull: boolean
}

function viewModel(
  model: PublicModel,
  { served, isAlias, isFull }: ModelContext,
): Omit<ServedModelView, 'charged'> {
  const { name, ownedBy, displayName = null, description = null } = model
  const route = isFull ? served.findRoute(name) : undefined
  const targets = route?.targets.toSorted((left, right) => right.channel.priority - left.channel.priority)
  return {
    name,
    alias: isAlias(name),
    owned_by: ownedBy,
    display_name: displayName,
    description,
    strategy: route?.strategy ?? null,
    targets: targets?.map(viewTarget) ?? null,
    fallbacks: route === undefined ? null : [...route.fallbacks],
  }
}

function viewTarget(target: Target): NonNullable<ServedModelView['targets']>[number] {
  const { channel, upstreamModel, prices } = target
  return {
    channel: channel.name,
    upstream_model: upstreamModel,
    priority: channel.priority,
    weight: weightOf(target),
    priced: prices !== undefined,
  }
}

export function createCatalogRoutes(catalog: CatalogOperations): readonly AdminRoute[] {
  return [
    {
      method: 'GET',
      policy: { access: 'own', scope: 'models:read' },
      path: '/admin/v1/catalog',
      summary:
        'List every public name that is served by pages, with its targets; members see what they may use',
      query: listServedModelsSchema,
      answer: { status: 200, schema: servedModelListSchema },
      errors: ['invalid_field', 'key_not_found'],
      async handler(request) {
        const params = checkInput(listServedModelsSchema, request.query)
        return { status: 200, body: { ...(await catalog.list(params, readReach(request))) } }
      },
    },
  ]
}
