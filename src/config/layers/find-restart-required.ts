import type { Config } from '../config.ts'

/** The settings that another configuration has otherwise and that take effect only with the next start. */
export function findRestartRequired(running: Config, next: Config): readonly string[] {
  const differs = (before: unknown, after: unknown) => JSON.stringify(before) !== JSON.stringify(after)
  const changes = {
    listen: differs(running.listen, next.listen),
    data: running.dataFolder !== next.dataFolder,
    workers: running.workers !== next.workers,
    database: differs(running.database, next.database),
    // The admin API's place follows the listener's unless the configuration places it.
    admin: differs(running.admin, next.admin) && !differs(running.listen, next.listen),
    tls: (running.tls === undefined) !== (next.tls === undefined),
  }
  return Object.entries(changes).flatMap(([name, isChanged]) => (isChanged ? [name] : []))
}
