// Keeps the catalog of this moment: what the configuration names, and what upstreams list.
import type { Catalog, CatalogSource } from '../catalog/catalog.ts'
import { createCatalogHolder } from '../catalog/catalog-holder.ts'
import type { Channel } from '../catalog/channel.ts'
import { createCatalog } from '../catalog/create-catalog.ts'
import { isSameUpstream } from '../catalog/is-same-upstream.ts'
import type { ModelEntry } from '../catalog/model-entry.ts'
import { createModelLists, type FetchModelList, type ModelLists } from '../catalog/model-lists.ts'
import type { Clock } from '../kit/time/clock.ts'

export interface Served {
  readonly channels: readonly Channel[]
  readonly models: readonly ModelEntry[]
}

export interface ServedCatalog extends CatalogSource {
  /**
   * Gets another set of channels and models ready, and resolves when every upstream whose list is not known has told it
   * or failed. Nothing counts before `take` is called.
   */
  prepare(served: Served): Promise<PreparedCatalog>
  /** What would be served, as far as upstreams have told what they list. */
  preview(served: Served): Catalog
  /** Why a channel's list could not be read the last time, by the channel's name. */
  listFaults(): ReadonlyMap<string, string>
  close(): void
}

export interface PreparedCatalog {
  /** From now on this is what is served; requests under way keep what they began with. */
  take(): void
  /** Lets go of it where it was not taken. */
  drop(): void
}

export interface ServeCatalogOptions {
  readonly fetchList: FetchModelList
  readonly clock: Clock
  readonly onListFailure: (channelName: string, reason: string) => void
}

const nothing: Served = { channels: [], models: [] }

export function serveCatalog({ fetchList, clock, onListFailure }: ServeCatalogOptions): ServedCatalog {
  const createdAtSeconds = Math.floor(clock.nowMs() / 1_000)
  const holder = createCatalogHolder(snapshot(nothing, new Map()))
  let current: { readonly served: Served; readonly lists: ModelLists } | undefined

  function snapshot({ channels, models }: Served, lists: ReadonlyMap<string, readonly string[]>) {
    return createCatalog({ channels, entries: models, lists, createdAtSeconds })
  }

  /** What the upstreams have listed that other channels ask in the same way. */
  function knownLists({ channels }: Served): ReadonlyMap<string, readonly string[]> {
    const known = current?.lists.current()
    return new Map(
      channels.flatMap((channel) => {
        const before = current?.served.channels.find(({ name }) => name === channel.name)
        const list = known?.get(channel.name)
        if (before === undefined || list === undefined || !isSameUpstream(before, channel)) return []
        return [[channel.name, list]]
      }),
    )
  }

  return {
    current: () => holder.current(),
    async prepare(served) {
      let isTaken = false
      const lists = createModelLists({
        channels: served.channels,
        known: knownLists(served),
        fetchList,
        clock,
        onFailure: onListFailure,
        onChange: (known) => {
          if (isTaken) holder.replace(snapshot(served, known))
        },
      })
      await lists.start()
      return {
        take() {
          current?.lists.close()
          current = { served, lists }
          isTaken = true
          holder.replace(snapshot(served, lists.current()))
        },
        drop: () => lists.close(),
      }
    },
    preview: (served) => snapshot(served, knownLists(served)),
    listFaults: () => current?.lists.faults() ?? new Map(),
    close: () => current?.lists.close(),
  }
}
