import type { AgentFormat } from '../../support/agent/speech.ts'
import type { StartedGateway } from '../../support/start-gateway.ts'
import type { Connection, Framework, FrameworkClient } from '../frameworks/framework.ts'
import type { FrameworkName } from '../frameworks/framework-names.ts'
import type { Play, StrictUpstream } from './strict-upstream.ts'

/** One thing that is tried with every library on every kind of channel. */
export interface FrameworkScenario {
  readonly name: string
  /** Why there is nothing to try; undefined where there is. */
  findLedgerRefusal?(subject: Subject): string | undefined
  /** Throws what went wrong. */
  run(subject: Subject): Promise<void>
}

export interface Subject {
  readonly name: FrameworkName
  readonly framework: Framework
  readonly channelFormat: AgentFormat
  /** Opens a gateway whose only channel is an upstream that plays so. */
  open(play: Play): Promise<Bench>
}

export interface Bench extends AsyncDisposable {
  /** The library, with a key that is good and a model that is there. */
  readonly client: FrameworkClient
  readonly upstream: StrictUpstream
  readonly gateway: StartedGateway
  connect(other: Partial<Connection>): FrameworkClient
}
