// Holds the current catalog: the models in the configuration, and those that upstreams list.
import type { Catalog, CatalogSource } from '../catalog/catalog.ts'
import type { Channel } from '../catalog/channel.ts'
import { createCatalog, createCatalogHolder } from '../catalog/create-catalog.ts'
import { isSameUpstream } from '../catalog/is-same-upstream.ts'
import type { ListFault } from '../catalog/list-fault.ts'
import type { ModelEntry } from '../catalog/model-entry.ts'
import { createModelLists, type FetchModelList, type ModelLists } from '../catalog/model-lists.ts'
import type { FindKnownModel } from '../catalog/prices/find-price.ts'
import type { Clock } from '../kit/time/clock.ts'
import { unixSeconds } from '../kit/time/unix-seconds.ts'

export interface ServedModels {
  readonly channels: readonly Channel[]
  readonly models: readonly ModelEntry[]
  readonly findKnownModel: FindKnownModel
}

export interface ServedCatalog extends CatalogSource {
  /**
   * Prepares another set of channels and models. Resolves when every upstream with an unknown list has sent its list or
   * failed. Nothing takes effect before `apply` is called.
   */
  prepare(served: ServedModels): Promise<PreparedCatalog>
  /** The catalog that would be served, with the lists of upstreams that are known already. */
  preview(served: ServedModels): Catalog
  /** The faults of the last reads of channels' lists, by the name of the channel. */
  listFaults(): ReadonlyMap<string, ListFault>
  close(): void
}

export interface PreparedCatalog {
  /** Makes this catalog the served one. Requests in progress finish with the catalog that they started with. */
  apply(): void
  /** Releases the catalog if it was not applied. */
  drop(): void
}

export interface ServeCatalogOptions {
  readonly fetchList: FetchModelList
  readonly clock: Clock
  readonly onListFailure: (channelName: string, reason: string) => void
}

const nothing: ServedModels = { channels: [], models: [], findKnownModel: () => ({ limits: {} }) }

export function serveCatalog(options: ServeCatalogOptions): ServedCatalog {
  return new LiveCatalog(options)
}

class LiveCatalog implements ServedCatalog {
  readonly #options: ServeCatalogOptions
  readonly #createdAtSeconds: number
  readonly #holder: ReturnType<typeof createCatalogHolder>
  readonly current: () => Catalog
  #current: { readonly served: ServedModels; readonly lists: ModelLists } | undefined

  constructor(options: ServeCatalogOptions) {
    this.#options = options
    this.#createdAtSeconds = unixSeconds(options.clock.nowMs())
    this.#holder = createCatalogHolder(this.#snapshot(nothing, new Map()))
    this.current = this.#holder.current
  }

  async prepare(served: ServedModels): Promise<PreparedCatalog> {
    const { fetchList, clock, onListFailure } = this.#options
    let isInstalled = false
    const lists = createModelLists({
      channels: served.channels,
      known: this.#knownLists(served),
      fetchList,
      clock,
      onFailure: onListFailure,
      onChange: (known) => {
        if (isInstalled) this.#holder.replace(this.#snapshot(served, known))
      },
    })
    await lists.start()
    return {
      apply: () => {
        this.#current?.lists.close()
        this.#current = { served, lists }
        isInstalled = true
        this.#holder.replace(this.#snapshot(served, lists.current()))
      },
      drop: () => lists.close(),
    }
  }

  preview(served: ServedModels): Catalog {
    return this.#snapshot(served, this.#knownLists(served))
  }

  listFaults(): ReadonlyMap<string, ListFault> {
    return this.#current?.lists.faults() ?? new Map()
  }

  close(): void {
    this.#current?.lists.close()
  }

  #snapshot(served: ServedModels, lists: ReadonlyMap<string, readonly string[]>): Catalog {
    const { channels, models, findKnownModel } = served
    const createdAtSeconds = this.#createdAtSeconds
    return createCatalog({ channels, entries: models, lists, createdAtSeconds, findKnownModel })
  }

  /** The lists that are known already, since a channel of the same name uses the same upstream. */
  #knownLists({ channels }: ServedModels): ReadonlyMap<string, readonly string[]> {
    const lists = this.#current?.lists.current()
    return new Map(
      channels.flatMap((channel) => {
        const previous = this.#current?.served.channels.find(({ name }) => name === channel.name)
        const list = lists?.get(channel.name)
        if (previous === undefined || list === undefined || !isSameUpstream(previous, channel)) return []
        return [[channel.name, list]]
      }),
    )
  }
}
