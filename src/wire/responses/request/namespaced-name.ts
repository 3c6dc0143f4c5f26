/**
 * The form of a namespaced tool's name in formats where a tool has only one name. No caller names its own tools like
 * this.
 */
const FORM = /^ns--(.+?)--(.+)$/s

export interface NamespacedName {
  readonly namespace: string
  readonly name: string
}

export function joinName({ namespace, name }: NamespacedName): string {
  return `ns--${namespace}--${name}`
}

/** Returns undefined where the name was not made by joining. */
export function splitName(joined: string): NamespacedName | undefined {
  const [, namespace, name] = FORM.exec(joined) ?? []
  return namespace === undefined || name === undefined ? undefined : { namespace, name }
}
