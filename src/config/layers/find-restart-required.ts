import type { Config } from '../config.ts'

/** Finds the changed settings that take effect only at the next start. */
export function findRestartRequired(running: Config, next: Config): readonly string[] {
  const differs = (before: unknown, after: unknown) => JSON.stringify(before) !== JSON.stringify(after)
  const changes = {
    listen: differs(running.listen, next.listen),
    data: running.dataFolder !== next.dataFolder,
    workers: running.workers !== next.workers,
    database: differs(running.database, next.database),
    // The admin API uses the listener's address unless the configuration gives it another.
    admin: differs(running.admin, next.admin) && !differs(running.listen, next.listen),
    tls: (running.tls === undefined) !== (next.tls === undefined),
  }
  return Object.entries(changes).flatMap(([name, isChanged]) => (isChanged ? [name] : []))
}
