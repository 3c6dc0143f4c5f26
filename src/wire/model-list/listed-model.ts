export interface ListedModel {
  readonly name: string
  readonly ownedBy: string
  readonly createdAtSeconds: number
  /** A name for people to read, where the operator gave one. */
  readonly displayName?: string
  readonly description?: string
  /** The formats that a caller can use the model with, translation included. */
  readonly endpointTypes: readonly ('openai' | 'anthropic')[]
}

export type ModelListStyle = 'chat' | 'messages' | 'gemini'
