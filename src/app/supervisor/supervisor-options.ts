import type { Config } from '../../config/config.ts'
import type { PartCommand } from './part-process.ts'

/** The part of the configuration that the supervisor knows. Its processes read the rest by themselves. */
export type SupervisedConfig = Pick<Config, 'listen' | 'admin' | 'workers' | 'database'>

export interface SupervisorOptions {
  readonly command: PartCommand
  readonly activated: readonly number[]
  /** Prints a line for the operator. */
  readonly print: (line: string) => void
  /** Called when processes end repeatedly. */
  readonly onHopeless: (reason: string) => void
}
