// Texts in header fields, which are printable ASCII.

/** Returns the text with a question mark for each character that a header field must not contain (RFC 9110 §5.5). */
export const fieldText = (text: string): string => text.replace(/[^\x20-\x7e]/g, '?')

/** The same for a sentence: at most 500 characters. */
export const fieldSentence = (text: string): string => fieldText(text).slice(0, 500)

/** Returns a text as a quoted string (RFC 9110 §5.6.4). */
export const quotedString = (text: string): string => `"${fieldText(text).replace(/["\\]/g, '\\$&')}"`
