// The way back from a database that nodes share to the data folder.
import { readSharedMark, unmarkShared } from '../../storage/files/shared-mark.ts'

/**
 * Removes the mark of a node from its data folder, which this process owns: commands would refuse to use the folder.
 * Warns, as keys and spending of the database are missing here, and a variable that is lost has the same effect.
 */
export function leaveDatabase(dataFolder: string, printError: (line: string) => void): void {
  const database = readSharedMark(dataFolder)
  if (database === undefined) return
  unmarkShared(dataFolder)
  printError(
    `headgate: warning: the last start used the database ${database.name}, and this one uses the data folder ${dataFolder}, which has no change since then, such as to keys and what budgets have spent; if that is not meant, stop it and set HEADGATE_DATABASE_URL`,
  )
}
