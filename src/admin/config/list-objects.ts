import type { z } from 'zod'
import type { JsonObject } from '../../kit/json/json.ts'
import type { AdminRoute } from '../admin-route.ts'
import { readListCursor, readSort, writeNextAfter } from '../paging/list-cursor.ts'
import { DEFAULT_PAGE_ROWS } from '../paging/page-fields.ts'
import { pageList } from '../paging/page-list.ts'
import { readInput } from '../read-input.ts'
import {
  channelListSchema,
  channelSorts,
  channelViewSchema,
  listChannelsSchema,
  listObjectsSchema,
  objectListSchema,
  objectSorts,
  objectViewSchema,
} from './config-contract.ts'
import type { ConfigOperations } from './config-operations.ts'
import { etagOf } from './config-routes.ts'
import type { ConfigState } from './live-config.ts'
import { type ObjectKind, objectKinds } from './object-kind.ts'
import { createShowRoute, createSwitchRoutes, createWriteRoutes, type RoutedKind } from './object-routes.ts'
import { listChannels, listObjects } from './view-config.ts'

type ListedView = Readonly<z.output<typeof objectViewSchema>>
type ChannelQuery = z.output<typeof listChannelsSchema>
type ObjectQuery = z.output<typeof listObjectsSchema>

/** Channels, models, limits of users and budgets one by one, and lists of them. */
export function createObjectRoutes(config: ConfigOperations): readonly AdminRoute[] {
  const channels = createRouted(objectKinds.channels, 'channels', { config, list: listChannels })
  const models = createRouted(objectKinds.models, 'models', { config })
  const users = createRouted(objectKinds.users, 'users', { config })
  return [
    createChannelListRoute(config),
    createListRoute(models),
    createListRoute(users),
    ...[channels, models, users].flatMap((routed) => [createShowRoute(routed), ...createWriteRoutes(routed)]),
    ...createSwitchRoutes(channels),
    // Budgets are read with what is spent of them.
    ...createWriteRoutes(createRouted(objectKinds.budgets, 'budgets', { config })),
  ]
}

interface RoutedParts {
  readonly config: RoutedKind['config']
  readonly list?: (state: ConfigState) => readonly ListedView[]
}

/** A kind whose objects all come from the configuration. */
function createRouted(
  kind: ObjectKind,
  scope: RoutedKind['scope'],
  { config, list = (state) => listObjects(kind, state) }: RoutedParts,
): RoutedKind {
  return {
    kind,
    scope,
    schema: kind === objectKinds.channels ? channelViewSchema : objectViewSchema,
    config,
    find: (wanted): JsonObject | undefined => list(config.state()).find(({ name }) => name === wanted),
  }
}

function createListRoute({ kind, scope, config }: RoutedKind): AdminRoute {
  return {
    method: 'GET',
    policy: { access: 'read', scope: `${scope}:read` },
    path: `/admin/v1/${kind.path}`,
    summary: `List ${kind.word}s of the configuration with their owners by pages`,
    query: listObjectsSchema,
    answer: { status: 200, schema: objectListSchema },
    errors: ['invalid_field'],
    async handler({ query }) {
      const params = readInput(listObjectsSchema, query)
      const now = config.state()
      const { descending } = readSort(params.sort, objectSorts)
      const fitting = listObjects(kind, now).filter((object) => fitsObject(object, params))
      const page = pageObjects(fitting, params, { descending, sortValue: ({ name }) => name })
      return { status: 200, headers: etagOf(now), body: { version: now.newest.number, ...page } }
    },
  }
}

function createChannelListRoute(config: RoutedKind['config']): AdminRoute {
  return {
    method: 'GET',
    policy: { access: 'read', scope: 'channels:read' },
    path: '/admin/v1/channels',
    summary: 'List channels of the configuration with their owners by pages',
    query: listChannelsSchema,
    answer: { status: 200, schema: channelListSchema },
    errors: ['invalid_field'],
    async handler({ query }) {
      const params = readInput(listChannelsSchema, query)
      const now = config.state()
      const { by, descending } = readSort(params.sort, channelSorts)
      const page = pageObjects(
        listChannels(now).filter((channel) => fitsChannel(channel, params)),
        params,
        { descending, sortValue: (channel) => sortValueOf(channel, by) },
      )
      return { status: 200, headers: etagOf(now), body: { version: now.newest.number, ...page } }
    },
  }
}

function fitsObject(
  { name, owner }: ListedView,
  { q = '', name: only = name, owner: wanted = owner }: Pick<ObjectQuery, 'q' | 'name' | 'owner'>,
): boolean {
  return name.toLowerCase().includes(q.toLowerCase()) && name === only && owner === wanted
}

function fitsChannel(channel: ReturnType<typeof listChannels>[number], params: ChannelQuery): boolean {
  const { provider, status } = params
  return (
    fitsObject(channel, params) &&
    (provider === undefined || channel.provider === provider) &&
    (status === undefined || channel.disabled === (status === 'disabled'))
  )
}

/** A channel without a priority has 0. */
function sortValueOf(
  channel: ReturnType<typeof listChannels>[number],
  by: (typeof channelSorts)[number],
): string | number {
  if (by !== 'priority') return channel[by]
  const priority = channel['priority']
  return typeof priority === 'number' ? priority : 0
}

interface ObjectOrder<View> {
  readonly descending: boolean
  readonly sortValue: (view: View) => string | number
}

function pageObjects<View extends ListedView>(
  views: readonly View[],
  {
    limit = DEFAULT_PAGE_ROWS,
    after,
    sort,
  }: Pick<ObjectQuery, 'limit' | 'after'> & { readonly sort?: string | undefined },
  { descending, sortValue }: ObjectOrder<View>,
): { readonly data: JsonObject[]; readonly next_after: string | null } {
  const { items, next } = pageList(views, {
    sortValueOf: sortValue,
    idOf: ({ name }) => name,
    descending,
    after: readListCursor(after, sort?.endsWith('priority') === true ? 'number' : 'string'),
    limit,
  })
  return { data: items.map((item): JsonObject => ({ ...item })), next_after: writeNextAfter(next) }
}
