// Decides which processes may take the files over from their owner.
import { OperatorError } from '../../canonical/operator-error.ts'

export interface Succession {
  /** The name of the supervisor that started this process. */
  readonly supervisor: string
  /** Throws `OperatorError` where a process of another supervisor may not take over the files. */
  checkSuccessor(supervisor: string | undefined): void
}

/** Makes the error for a process that needs the files of another installation which is running. */
export function folderInUse(dataFolder: string): OperatorError {
  return new OperatorError(
    'data_folder_in_use',
    `another "headgate serve" uses the data folder ${dataFolder}`,
    {
      advice: 'replace its processes with "headgate restart", stop it, or choose another folder with --data',
    },
  )
}

/**
 * Creates the rule: only processes of the same supervisor may take over, unless that supervisor has died. `undefined`
 * is a process of an earlier version, which does not name its supervisor.
 */
export function createSuccession(
  dataFolder: string,
  { supervisor, isSupervised }: Pick<Succession, 'supervisor'> & { readonly isSupervised: () => boolean },
): Succession {
  return {
    supervisor,
    checkSuccessor(other) {
      if (other !== undefined && other !== supervisor && isSupervised()) throw folderInUse(dataFolder)
    },
  }
}
