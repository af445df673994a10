mkdir frozen
