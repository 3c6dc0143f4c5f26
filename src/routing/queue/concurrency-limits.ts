import type { Target } from '../../catalog/catalog.ts'

class ChannelCount {
  calls = 0
  readonly models = new Map<string, ModelCount>()
}

class ModelCount {
  calls = 0
}

/** The maximum number of models in memory. Above it, models without a call in progress are forgotten. */
const MAX_MODELS = 10_000

/** Limits the calls in progress to each channel, and counts the calls in progress to each target. */
export class ConcurrencyLimits {
  readonly #channels = new Map<string, ChannelCount>()
  #models = 0

  ofTarget({ channel, upstreamModel }: Target): number {
    return this.#channels.get(channel.name)?.models.get(upstreamModel)?.calls ?? 0
  }

  ofChannel(channelName: string): number {
    return this.#channels.get(channelName)?.calls ?? 0
  }

  /** The calls in progress by upstream model. Idle models may be included. */
  ofModels(channelName: string): ReadonlyMap<string, number> {
    const models = this.#channels.get(channelName)?.models ?? []
    return new Map([...models].map(([name, { calls }]) => [name, calls]))
  }

  isFull({ channel }: Target): boolean {
    return channel.concurrency !== undefined && this.ofChannel(channel.name) >= channel.concurrency
  }

  /** Takes a slot, which `release` returns. False if the channel has no free slot. */
  tryAcquire(target: Target): boolean {
    if (this.isFull(target)) return false
    const channel = this.#getOrCreateChannel(target.channel.name)
    channel.calls += 1
    this.#getOrCreateModel(channel, target.upstreamModel).calls += 1
    return true
  }

  /** Returns a slot that was taken. The result says whether a request may be waiting for it. */
  release({ channel, upstreamModel }: Target): boolean {
    const counts = this.#channels.get(channel.name)
    const model = counts?.models.get(upstreamModel)
    if (counts === undefined || model === undefined || model.calls === 0) return false
    const wasFull = channel.concurrency !== undefined && counts.calls >= channel.concurrency
    counts.calls -= 1
    model.calls -= 1
    return wasFull
  }

  #getOrCreateChannel(name: string): ChannelCount {
    const existing = this.#channels.get(name)
    if (existing !== undefined) return existing
    const created = new ChannelCount()
    this.#channels.set(name, created)
    return created
  }

  #getOrCreateModel(channel: ChannelCount, name: string): ModelCount {
    const existing = channel.models.get(name)
    if (existing !== undefined) return existing
    if (this.#models >= MAX_MODELS) this.#forgetIdle()
    const created = new ModelCount()
    channel.models.set(name, created)
    this.#models += 1
    return created
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
