// The messages between a supervisor and its processes.
import type { ListenSetting } from '../listen-error.ts'
import type { MetricsDump } from './process-part.ts'

export type PartType = 'owner' | 'worker' | 'node'

/** The ports on which the supervisor listens. */
export type Ports = Readonly<Partial<Record<ListenSetting, number>>>

/** The role of a process. The process receives it before it opens anything. */
export interface PartOrder {
  readonly part: PartType
  /** The name of the process in the installation. */
  readonly id: string
  /** The name of the supervisor; undefined if an earlier version of the program runs it. */
  readonly supervisor?: string
  readonly workers: number
  readonly ports: Ports
}

export type ToPart =
  | { readonly type: 'begin'; readonly order: PartOrder }
  /** The connection itself is sent with the message. */
  | { readonly type: 'connection'; readonly setting: ListenSetting; readonly number: number }
  /** All connections up to this number were sent. The process reports those that it has not got. */
  | { readonly type: 'check-connections'; readonly sent: number }
  /** Callers are served from now on. The first process prints that. */
  | { readonly type: 'welcome' }
  /** Continue to answer on open connections, until all have ended or the time is over. */
  | { readonly type: 'retire'; readonly limitMs: number }
  /** Refuse new requests. End when answers in progress have finished or the time is over. */
  | { readonly type: 'end'; readonly limitMs: number }
  | { readonly type: 'dump-metrics'; readonly id: number }
  | { readonly type: 'metrics'; readonly id: number; readonly dumps: readonly MetricsDump[] }

export type FromPart =
  /** The program is loaded. */
  | { readonly type: 'loaded' }
  | { readonly type: 'ready' }
  /** The process cannot start in its environment: the configuration, an address or the data folder is unusable. */
  | { readonly type: 'refused'; readonly reason: string }
  /** Another process has taken over the role. */
  | { readonly type: 'taken-over' }
  /**
   * The process has accepted the connection with this number. Nothing is read from the connection before this message.
   */
  | { readonly type: 'taken'; readonly number: number }
  /** Connections that did not arrive, because the process can open no more files. Another one may serve them. */
  | { readonly type: 'missed'; readonly numbers: readonly number[] }
  /** The requests in progress, and the connections received so far. */
  | { readonly type: 'load'; readonly active: number; readonly received: number }
  | { readonly type: 'collect-metrics'; readonly id: number }
  /** The metrics that were asked for, or without an ID those at the end of the process. */
  | { readonly type: 'dumped-metrics'; readonly id?: number; readonly dump: MetricsDump }
