import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const certificateFolder = join(import.meta.dirname, 'certificates')

/** An identity of this machine, in PEM. The tests' own authority issued the first and the second. */
export function readIdentity(name: 'first' | 'second' | 'weak' | 'client-only'): {
  readonly cert: string
  readonly key: string
} {
  return { cert: readCertificate(`${name}.crt`), key: readCertificate(`${name}.key`) }
}

/** One of the files beside this one: `ca.crt` is the root that all others lead to. */
export function readCertificate(name: string): string {
  return readFileSync(join(certificateFolder, name), 'utf8')
}
