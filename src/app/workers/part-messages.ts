// What a supervisor and its processes say to each other.
import type { ListenSetting } from '../listen-error.ts'
import type { MetricsDump } from './process-part.ts'

export type PartType = 'owner' | 'worker' | 'node'

/** The ports that the supervisor listens on. */
export type Ports = Readonly<Partial<Record<ListenSetting, number>>>

/** The part of a process, which it learns before it opens anything. */
export interface PartOrder {
  readonly part: PartType
  /** The name of the process among those of the installation. */
  readonly id: string
  readonly workers: number
  readonly ports: Ports
}

export type ToPart =
  | { readonly type: 'begin'; readonly order: PartOrder }
  /** A connection comes with it. */
  | { readonly type: 'connection'; readonly setting: ListenSetting; readonly number: number }
  /** Callers are served from now on: the first process says so. */
  | { readonly type: 'welcome' }
  /** Answers what comes over open connections, until all have ended or the time is over. */
  | { readonly type: 'retire'; readonly limitMs: number }
  /** Refuses what is new, and ends once running answers have ended or the time is over. */
  | { readonly type: 'end'; readonly limitMs: number }
  | { readonly type: 'dump-metrics'; readonly id: number }
  | { readonly type: 'metrics'; readonly id: number; readonly dumps: readonly MetricsDump[] }

export type FromPart =
  /** The program is loaded. */
  | { readonly type: 'loaded' }
  | { readonly type: 'ready' }
  /** It does not start again as it is: the configuration, an address, the data folder. */
  | { readonly type: 'refused'; readonly reason: string }
  /** Another process has taken its part. */
  | { readonly type: 'taken-over' }
  /** The connection with this number is its own; nothing of it is read before that is said. */
  | { readonly type: 'taken'; readonly number: number }
  /** The requests in progress, and the connections that it was handed so far. */
  | { readonly type: 'load'; readonly active: number; readonly received: number }
  | { readonly type: 'collect-metrics'; readonly id: number }
  | { readonly type: 'dumped-metrics'; readonly id: number; readonly dump: MetricsDump }
