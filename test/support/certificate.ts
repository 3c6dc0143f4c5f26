import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const certificateFolder = join(import.meta.dirname, 'certificates')

/** The identity that the tests' own authority issued for this machine, in PEM. */
export function readIdentity(name: 'first' | 'second'): { readonly cert: string; readonly key: string } {
  return { cert: readCertificate(`${name}.crt`), key: readCertificate(`${name}.key`) }
}

/** One of the files beside this one: `ca.crt` is the root that all others lead to. */
export function readCertificate(name: string): string {
  return readFileSync(join(certificateFolder, name), 'utf8')
}
