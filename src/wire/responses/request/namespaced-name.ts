/** The form of a namespaced tool's name where tools have one name alone; no caller names tools of its own like this. */
const FORM = /^ns--(.+?)--(.+)$/s

export interface NamespacedName {
  readonly namespace: string
  readonly name: string
}

export function joinName({ namespace, name }: NamespacedName): string {
  return `ns--${namespace}--${name}`
}

/** Undefined where the name is not one that was joined. */
export function splitName(joined: string): NamespacedName | undefined {
  const [, namespace, name] = FORM.exec(joined) ?? []
  return namespace === undefined || name === undefined ? undefined : { namespace, name }
}
