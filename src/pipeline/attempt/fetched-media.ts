import type { MediaSource } from '../../canonical/content.ts'
import type { MediaAddress } from '../../canonical/media.ts'
import type { MediaHold } from '../exchange/media-budget.ts'

/** The files that were fetched for one request, and the room that they hold in the budget until the request ends. */
export class FetchedMedia implements Disposable {
  #sources: Map<string, MediaSource> | undefined
  readonly #holds: MediaHold[] = []

  /** The sources by kind and address. */
  get sources(): Map<string, MediaSource> {
    this.#sources ??= new Map()
    return this.#sources
  }

  get heldBytes(): number {
    return this.#holds.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  keep(hold: MediaHold): void {
    this.#holds.push(hold)
  }

  [Symbol.dispose](): void {
    this.#sources = undefined
    if (this.#holds.length === 0) return
    for (const hold of this.#holds.splice(0)) hold.release()
  }
}

/** The key of a file in the map of fetched files. */
export function mediaNameOf({ kind, url }: MediaAddress): string {
  return `${kind} ${url}`
}
