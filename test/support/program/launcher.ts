import { resolve } from 'node:path'

/** The command of the program: of the one that `HEADGATE_TEST_LAUNCHER` names, else of this repository's source. */
export const launcher =
  process.env['HEADGATE_TEST_LAUNCHER'] ??
  resolve(import.meta.dirname, '..', '..', '..', 'bin', 'headgate.js')
