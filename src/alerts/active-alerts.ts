import type { ObservedHealthChange } from '../telemetry/observed-health-change.ts'

/** Incidents that are remembered at most; the oldest go first. */
const MAX_INCIDENTS = 1_000

export interface Incident {
  readonly change: ObservedHealthChange
  /** The time at which the incident began, by the wall clock, as all times here. */
  readonly sinceMs: number
  readonly sentAtMs: number
}

export interface DueAlert {
  /** `reset`: an operator had it forgotten; `replaced`: the channel or its credential was changed or removed. */
  readonly status: 'impaired' | 'recovered' | 'reset' | 'replaced'
  /** The time at which it began; undefined where that was before the start. */
  readonly sinceMs: number | undefined
}

/** Decides which changes of health are worth an alert: each once, until it is over or `repeatMs` have passed. */
export class ActiveAlerts {
  readonly #incidents = new Map<string, Incident>()

  judge(change: ObservedHealthChange, nowMs: number, repeatMs: number): DueAlert | undefined {
    const key = JSON.stringify([change.channel, change.scope, change.credentialId, change.upstreamModel])
    const known = this.#incidents.get(key)
    switch (change.to) {
      case 'half-open':
        return undefined
      case 'healthy':
        this.#incidents.delete(key)
        return known === undefined && !change.needsOperator
          ? undefined
          : { status: 'recovered', sinceMs: known?.sinceMs }
      case 'open': {
        if (!change.needsOperator) return undefined
        const isSame = known?.change.reason === change.reason
        if (isSame && nowMs - known.sentAtMs < repeatMs) return undefined
        const sinceMs = isSame ? known.sinceMs : nowMs
        this.#remember(key, { change, sinceMs, sentAtMs: nowMs })
        return { status: 'impaired', sinceMs }
      }
    }
  }

  /** Ends these incidents at an operator's word. What is still wrong makes an alert again. */
  forget(isForgotten: (change: ObservedHealthChange) => boolean): readonly Incident[] {
    const forgotten = [...this.#incidents].filter(([, { change }]) => isForgotten(change))
    for (const [key] of forgotten) this.#incidents.delete(key)
    return forgotten.map(([, incident]) => incident)
  }

  #remember(key: string, incident: Incident): void {
    this.#incidents.delete(key)
    const [oldest] = this.#incidents.keys()
    if (this.#incidents.size >= MAX_INCIDENTS && oldest !== undefined) this.#incidents.delete(oldest)
    this.#incidents.set(key, incident)
  }
}
