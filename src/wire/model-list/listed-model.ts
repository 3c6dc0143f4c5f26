export interface ListedModel {
  readonly name: string
  readonly ownedBy: string
  readonly createdAtSeconds: number
  /** A human-readable name, where the operator set one. */
  readonly displayName?: string
  readonly description?: string
}

export type ModelListStyle = 'chat' | 'messages' | 'gemini'
