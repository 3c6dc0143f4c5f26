import type { DatabaseSettings } from '../../config/database-schema.ts'
import type { Clock } from '../../kit/time/clock.ts'

export interface PostgresOptions {
  readonly settings: DatabaseSettings
  readonly clock: Pick<Clock, 'monotonicMs'>
  /** A number of [0, 1), which spreads the attempts of many nodes to reach the database again. */
  readonly chance: () => number
}
