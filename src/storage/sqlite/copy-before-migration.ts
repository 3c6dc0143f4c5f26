import { readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/**
 * Copies a database into the same folder before its tables are changed, for example as
 * `headgate.db.before-upgrade-5`, where 5 is the version of its tables. The copy of the previous upgrade is deleted
 * once this copy is complete.
 */
export function copyBeforeMigration(
  file: string,
  copyTo: (path: string) => Promise<void>,
): (version: number) => Promise<void> {
  return async (version) => {
    const prefix = `${basename(file)}.before-upgrade-`
    const copy = join(dirname(file), `${prefix}${version}`)
    const unfinished = `${copy}.unfinished`
    rmSync(unfinished, { force: true })
    await copyTo(unfinished)
    renameSync(unfinished, copy)
    for (const name of readdirSync(dirname(file))) {
      const path = join(dirname(file), name)
      if (name.startsWith(prefix) && path !== copy) rmSync(path, { force: true })
    }
  }
}
