export interface ListedModel {
  readonly name: string
  readonly ownedBy: string
  readonly createdAtSeconds: number
  /** A name for people to read, where the operator gave one. */
  readonly displayName?: string
  readonly description?: string
}

export type ModelListStyle = 'chat' | 'messages' | 'gemini'
