import { OperatorError } from '../../canonical/operator-error.ts'
import { errorCodeOf } from '../../kit/errors/error-code.ts'
import { reasonOf } from '../../kit/errors/reason-of.ts'

const refusals: Readonly<Record<string, { readonly reason: string; readonly advice: string }>> = {
  EACCES: {
    reason: 'this user has no right to it',
    advice: 'be the user that owns the folder, or root, or name another folder with --data',
  },
  ENOTDIR: { reason: 'it is a file, or a part of its path is', advice: 'name a folder with --data' },
}

/** Describes why a data folder cannot be read. Most often a command is run by another user than the server. */
export function describeUnusableFolder(folder: string, cause: unknown): OperatorError {
  const known = refusals[errorCodeOf(cause) ?? '']
  const happened = `the data folder ${folder} cannot be used: ${known?.reason ?? reasonOf(cause)}`
  return new OperatorError('data_folder_unusable', happened, {
    ...(known && { advice: known.advice }),
    cause,
  })
}
