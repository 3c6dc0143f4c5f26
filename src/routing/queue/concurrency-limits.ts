import type { Target } from '../../catalog/catalog.ts'

class ChannelCount {
  calls = 0
  readonly models = new Map<string, ModelCount>()
}

class ModelCount {
  calls = 0
}

/** Names without a call under way that are kept in mind at most. */
const MOST_MODELS = 10_000

/** How many calls are under way to each channel and target, and whether a channel takes one more. */
export class ConcurrencyLimits {
  readonly #channels = new Map<string, ChannelCount>()
  #models = 0

  ofTarget({ channel, upstreamModel }: Target): number {
    return this.#channels.get(channel.name)?.models.get(upstreamModel)?.calls ?? 0
  }

  ofChannel(channelName: string): number {
    return this.#channels.get(channelName)?.calls ?? 0
  }

  /** By the upstream's names, those without one now among them. */
  ofModels(channelName: string): ReadonlyMap<string, number> {
    const models = this.#channels.get(channelName)?.models ?? []
    return new Map([...models].map(([name, { calls }]) => [name, calls]))
  }

  isFull({ channel }: Target): boolean {
    return channel.concurrency !== undefined && this.ofChannel(channel.name) >= channel.concurrency
  }

  /** Takes a place, which `end` gives back; false where the channel has none left. */
  tryAcquire(target: Target): boolean {
    if (this.isFull(target)) return false
    const channel = this.#reachChannel(target.channel.name)
    channel.calls += 1
    this.#reachModel(channel, target.upstreamModel).calls += 1
    return true
  }

  /** Gives a place back, once for each that was taken. Tells whether somebody may wait for it. */
  end({ channel, upstreamModel }: Target): boolean {
    const counts = this.#channels.get(channel.name)
    const model = counts?.models.get(upstreamModel)
    if (counts === undefined || model === undefined || model.calls === 0) return false
    const wasFull = channel.concurrency !== undefined && counts.calls >= channel.concurrency
    counts.calls -= 1
    model.calls -= 1
    return wasFull
  }

  #reachChannel(name: string): ChannelCount {
    const known = this.#channels.get(name)
    if (known !== undefined) return known
    const made = new ChannelCount()
    this.#channels.set(name, made)
    return made
  }

  #reachModel(channel: ChannelCount, name: string): ModelCount {
    const known = channel.models.get(name)
    if (known !== undefined) return known
    if (this.#models >= MOST_MODELS) this.#forgetIdle()
    const made = new ModelCount()
    channel.models.set(name, made)
    this.#models += 1
    return made
  }

  #forgetIdle(): void {
    for (const { models } of this.#channels.values()) {
      for (const [name, { calls }] of models) {
        if (calls > 0) continue
        models.delete(name)
        this.#models -= 1
      }
    }
  }
}
