// View 2: what the API can do and how it is doing.

export const OperationsView = () => <p>soon</p>
