import { join } from 'node:path'
import { OperatorError } from '../../canonical/operator-error.ts'

/** The socket in the data folder by which workers reach the process that owns the folder. */
const SOCKET_FILE = 'workers.sock'
/** The socket for requests of operators. */
const OPERATORS_FILE = 'operators.sock'
/** The socket by which the supervisor is asked to replace all processes. Its name is no longer than the others. */
const RESTART_FILE = 'restart.sock'
/**
 * The maximum length of a socket path: 104 bytes on Darwin and 108 on Linux, including the terminating zero (unix(4),
 * unix(7)).
 */
const MAX_PATH_BYTES = 103

/** Throws `OperatorError` where the path of the data folder is too long for a socket in it. */
export function findOwnerSocket(dataFolder: string): string {
  return checked(dataFolder, SOCKET_FILE)
}

export function findOperatorsSocket(dataFolder: string): string {
  return checked(dataFolder, OPERATORS_FILE)
}

export function findRestartSocket(dataFolder: string): string {
  return checked(dataFolder, RESTART_FILE)
}

function checked(dataFolder: string, file: string): string {
  const path = join(dataFolder, file)
  if (Buffer.byteLength(path) <= MAX_PATH_BYTES) return path
  throw new OperatorError(
    'data_folder_unusable',
    `the data folder ${dataFolder} cannot be used with workers: its path is too long for the socket in it`,
    { advice: `choose one of at most ${MAX_PATH_BYTES - OPERATORS_FILE.length - 1} bytes` },
  )
}
