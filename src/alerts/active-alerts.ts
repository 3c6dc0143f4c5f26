import type { HealthChange } from '../telemetry/health-change.ts'

/** Places that are kept in mind at most; the oldest go first. */
const MOST_INCIDENTS = 1_000

export interface Incident {
  readonly note: HealthChange
  /** Of the wall clock, as are all times here. */
  readonly sinceMs: number
  readonly sentAtMs: number
}

export interface DueAlert {
  /** `reset`: an operator had it forgotten; `replaced`: the channel or its credential was changed or removed. */
  readonly status: 'impaired' | 'recovered' | 'reset' | 'replaced'
  /** When it began; undefined where that was before the start. */
  readonly sinceMs: number | undefined
}

/** Decides which changes of health are worth an alert, each told once until it is over or `repeatMs` have passed. */
export class ActiveAlerts {
  readonly #incidents = new Map<string, Incident>()

  judge(note: HealthChange, nowMs: number, repeatMs: number): DueAlert | undefined {
    const place = JSON.stringify([note.channel, note.scope, note.credentialId, note.upstreamModel])
    const known = this.#incidents.get(place)
    switch (note.to) {
      case 'half-open':
        return undefined
      case 'healthy':
        this.#incidents.delete(place)
        return known === undefined && !note.needsOperator
          ? undefined
          : { status: 'recovered', sinceMs: known?.sinceMs }
      case 'open': {
        if (!note.needsOperator) return undefined
        const isSame = known?.note.reason === note.reason
        if (isSame && nowMs - known.sentAtMs < repeatMs) return undefined
        const sinceMs = isSame ? known.sinceMs : nowMs
        this.#keep(place, { note, sinceMs, sentAtMs: nowMs })
        return { status: 'impaired', sinceMs }
      }
    }
  }

  /** What was told of these ends by an operator's word; what is still wrong is told anew. */
  forget(isForgotten: (note: HealthChange) => boolean): readonly Incident[] {
    const forgotten = [...this.#incidents].filter(([, { note }]) => isForgotten(note))
    for (const [place] of forgotten) this.#incidents.delete(place)
    return forgotten.map(([, incident]) => incident)
  }

  #keep(place: string, incident: Incident): void {
    this.#incidents.delete(place)
    const [oldest] = this.#incidents.keys()
    if (this.#incidents.size >= MOST_INCIDENTS && oldest !== undefined) this.#incidents.delete(oldest)
    this.#incidents.set(place, incident)
  }
}
