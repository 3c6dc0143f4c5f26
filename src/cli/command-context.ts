import type { CommandIo } from './output/command-io.ts'

/** The parts that every command uses to reach a server or its data folder. */
export interface CommandContext {
  dataFolder(): string
  /** The admin token of the environment. Undefined where the data folder's token is used. */
  adminToken(): string | undefined
  readonly io: CommandIo
}
