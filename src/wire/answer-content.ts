/** The content of an answer, as far as it decides how its end is named. */
export interface AnswerContent {
  readonly hasToolCall: boolean
  readonly hasRefusal: boolean
}
